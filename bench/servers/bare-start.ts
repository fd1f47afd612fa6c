// A minimal exporter on express and prom-client: what has to be loaded before it can answer.
import express from 'express';
import { collectDefaultMetrics, Registry } from 'prom-client';

const registry = new Registry();
collectDefaultMetrics({ register: registry });
const app = express();
app.get('/metrics', async (_request, response) => {
  const body = await registry.metrics();
  response.writeHead(200, { 'Content-Type': registry.contentType });
  response.end(body);
});
app.listen(Number(process.argv[2]), '127.0.0.1');
