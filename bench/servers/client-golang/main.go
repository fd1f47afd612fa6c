// The usual first exporter in Go: the registry of client_golang, which is gathered and compressed at each scrape. Reads the
// families from a file, one JSON object per line; prints the port that it listens on.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

type family struct {
	Name    string   `json:"name"`
	Help    string   `json:"help"`
	Labels  []string `json:"labels"`
	Samples []struct {
		Labels map[string]string `json:"labels"`
		Value  float64           `json:"value"`
	} `json:"samples"`
}

func main() {
	registry := prometheus.NewRegistry()
	registry.MustRegister(
		collectors.NewGoCollector(),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}),
	)
	if err := register(registry, os.Args[1]); err != nil {
		log.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		log.Fatal(err)
	}
	http.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	log.Fatal(http.Serve(listener, nil))
}

func register(registry *prometheus.Registry, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	decoder := json.NewDecoder(file)
	for {
		var read family
		if err := decoder.Decode(&read); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		gauge := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: read.Name, Help: read.Help}, read.Labels)
		registry.MustRegister(gauge)
		for _, sample := range read.Samples {
			gauge.With(sample.Labels).Set(sample.Value)
		}
	}
}
