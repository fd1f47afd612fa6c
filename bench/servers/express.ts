// A minimal express server that answers with the bytes in a file.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express from 'express';
// The program that it is compared with is watched in the same way, which takes a tenth of its time under load.
import '../load/stalls.ts';
import { listenForParent, serverOptions } from './serve.ts';

/** Alternating names and values of the headers, and the file of the body. */
export interface RepeatedAnswer {
  readonly headers: readonly string[];
  readonly body: string;
}

const { headers, body: file } = serverOptions<RepeatedAnswer>();
const body = readFileSync(file);
const app = express();
app.get('/metrics', (_request, response) => {
  response.writeHead(200, [...headers]);
  response.end(body);
});

listenForParent(createServer(app));
