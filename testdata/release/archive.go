package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"errors"
	"time"
)

// tarGz packs files below a folder, all of one time and of no one.
func tarGz(top string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	w := tar.NewWriter(z)
	for _, f := range files {
		header := &tar.Header{Typeflag: tar.TypeReg, Name: top + "/" + f.name, Mode: int64(f.mode), Size: int64(len(f.text)), ModTime: at, Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err = errors.Join(w.Close(), z.Close())
	return b.Bytes(), err
}

// zipped is the same as a zip file.
func zipped(top string, files []file, at time.Time) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: top + "/" + f.name, Method: zip.Deflate, Modified: at}
		header.SetMode(f.mode)
		w, err := z.CreateHeader(header)
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}
