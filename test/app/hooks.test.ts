import express from 'express';
import request from 'supertest';
import { expect, onTestFinished, test } from 'vitest';
import { openServiceHooks } from '../../src/app/hooks.ts';
import { createFixedCredential } from '../../src/config/credential.ts';
import { startCore } from './start-core.ts';

/** The intake of a service with two requests a second; sends so many at once, and counts their answers. */
async function startIntake() {
  const { core, clock } = await startCore(':memory:');
  const token = createFixedCredential('right', 'the test');
  const { handle, close } = await openServiceHooks({ token, requestsPerSecond: 2 }, core);
  onTestFinished(close);
  const app = express();
  app.post('/', handle);
  async function answersTo(bearer: string, times: number) {
    const answers = new Map<number, number>();
    for (let sent = 0; sent < times; sent += 1) {
      const { status } = await request(app).post('/').set('authorization', `Bearer ${bearer}`).send({});
      answers.set(status, (answers.get(status) ?? 0) + 1);
    }
    return Object.fromEntries(answers);
  }
  return { answersTo, clock };
}

test('a sender may send the requests of ten seconds at once, and then as many as configured', async () => {
  const { answersTo, clock } = await startIntake();
  expect(await answersTo('right', 21)).toEqual({ 400: 20, 429: 1 });
  await clock.advance(1_000);
  expect(await answersTo('right', 3)).toEqual({ 400: 2, 429: 1 });
});

test('a client may guess fifty tokens at once, and then five a second', async () => {
  const { answersTo, clock } = await startIntake();
  expect(await answersTo('wrong', 51)).toEqual({ 401: 50, 429: 1 });
  await clock.advance(1_000);
  expect(await answersTo('wrong', 6)).toEqual({ 401: 5, 429: 1 });
});
