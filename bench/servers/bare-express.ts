// A minimal express server that answers with these bytes.
import { createServer } from 'node:http';
import express from 'express';
import { preparedAnswer } from './prepared.ts';
import { answerQuestions, listenAndSay } from './process.ts';

const { headers, body } = preparedAnswer();
const app = express();
app.get('/metrics', (_request, response) => {
  response.writeHead(200, headers);
  response.end(body);
});

answerQuestions();
listenAndSay(createServer(app));
