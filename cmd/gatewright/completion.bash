
# Without the bash-completion package, two of its functions are made up for here.
# Bash takes words apart at = and :, too, but --client=codex is one word.
if ! declare -F _get_comp_words_by_ref >/dev/null 2>&1; then
    __gatewright_init_completion()
    {
        local word last=""
        COMPREPLY=()
        words=()
        for word in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
            if [[ ${#words[@]} -gt 0 && ($word == [=:]* || $last == *[=:]) ]]; then
                last+=$word
                words[${#words[@]}-1]=$last
            else
                last=$word
                words+=("$word")
            fi
        done
        cword=$((${#words[@]} - 1))
        cur=$last
        prev=${words[cword>0 ? cword-1 : 0]}
    }
fi
if ! declare -F _filedir >/dev/null 2>&1; then
    _filedir()
    {
        local kind=-f path
        [[ ${1-} == -d ]] && kind=-d
        while IFS='' read -r path; do
            COMPREPLY+=("$path")
        done < <(compgen "$kind" -- "$cur")
        [[ $(type -t compopt) != builtin ]] || compopt -o filenames 2>/dev/null
    }
fi
