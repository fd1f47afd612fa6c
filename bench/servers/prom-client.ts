// The usual first exporter: express, and a prom-client registry that is rendered and compressed at each scrape.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import express from 'express';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import type { ParsedFamily } from '../page.ts';
import { listenForParent, serverOptions } from './serve.ts';

const compress = promisify(gzip);
const registry = new Registry();
collectDefaultMetrics({ register: registry });
const { families } = serverOptions<{ readonly families: string }>();
for (const line of readFileSync(families, 'utf8').trimEnd().split('\n')) {
  const { name, help, labels, samples } = JSON.parse(line) as ParsedFamily;
  const gauge = new Gauge({ name, help, labelNames: labels, registers: [registry] });
  for (const sample of samples) gauge.set(sample.labels, sample.value);
}

const app = express();
app.get('/metrics', async (_request, response) => {
  const body = await compress(await registry.metrics());
  response.writeHead(200, {
    'Content-Type': registry.contentType,
    'Content-Encoding': 'gzip',
    'Content-Length': body.length,
  });
  response.end(body);
});

listenForParent(createServer(app));
