// A minimal node:http server that answers with these bytes.
import { createServer } from 'node:http';
import { preparedAnswer } from './prepared.ts';
import { answerQuestions, listenAndSay } from './process.ts';

const { headers, body } = preparedAnswer();

answerQuestions();
listenAndSay(
  createServer((_request, response) => {
    response.writeHead(200, headers);
    response.end(body);
  }),
);
