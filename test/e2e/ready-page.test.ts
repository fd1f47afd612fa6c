import { execFileSync } from 'node:child_process';
import { closeSync, constants, openSync } from 'node:fs';
import { open } from 'node:fs/promises';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDirectory } from '../store/files.ts';
import { firstRuns, startStory } from './harness.ts';

/** Occupies the threads in which Node deflates, until the function that it returns is called. */
function occupyThreads(): () => Promise<void> {
  const pipe = path.join(createDirectory(), 'pipe');
  execFileSync('mkfifo', [pipe]);
  // Opening it for reading lasts until somebody writes to it.
  const readers = Array.from({ length: 4 }, () => open(pipe, 'r'));
  let released: Promise<void> | undefined;
  async function release(): Promise<void> {
    const writer = openSync(pipe, constants.O_WRONLY);
    for (const reader of await Promise.all(readers)) await reader.close();
    closeSync(writer);
  }
  const releaseOnce = () => {
    released ??= release();
    return released;
  };
  onTestFinished(releaseOnce);
  return releaseOnce;
}

test('it is not ready before the page with the newest figures is there', async () => {
  const story = await startStory({ polled: false });
  const release = occupyThreads();
  await firstRuns(story.service);
  let isAnswered = false;
  const answered = story.get('/-/ready').then(({ status }) => {
    isAnswered = true;
    return status;
  });
  expect((await story.get('/-/healthy')).status).toBe(200);
  expect(isAnswered).toBe(false);
  await release();
  expect(await answered).toBe(200);
});
