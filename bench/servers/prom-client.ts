// The usual first exporter: express, and a prom-client registry that is rendered and compressed at each scrape.
import { createServer } from 'node:http';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import express from 'express';
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';
import { projectedFamilies } from '../workload/projected.ts';
import { answerQuestions, listenAndSay, serverOptions } from './process.ts';

const compress = promisify(gzip);
const registry = new Registry();
collectDefaultMetrics({ register: registry });
for await (const { family, samples } of projectedFamilies(serverOptions().series ?? 0)) {
  const { name, help, labels } = family;
  const gauge = new Gauge({ name, help, labelNames: ['org', ...labels], registers: [registry] });
  for (const sample of samples) gauge.set({ org: 'acme', ...sample.labels }, sample.value);
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

answerQuestions();
listenAndSay(createServer(app));
