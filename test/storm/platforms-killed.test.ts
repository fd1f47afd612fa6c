import { test } from 'vitest';
import { createClaudeSandbox, createCopilotSandbox } from '../../src/sandbox/index.ts';
import { KEYS } from '../e2e/claude-story.ts';
import { createPrograms } from '../system/programs.ts';
import { expectSameAfterKills } from './killed-service.ts';

const programs = createPrograms();

test('a service killed between two writes about Copilot ends with the store of an undisturbed one', () =>
  expectSameAfterKills({
    programs,
    face: (now) => createCopilotSandbox({ now, users: 12 }),
    org: { platform: 'copilot', account: 'acme-org', link_hosts: ['127.0.0.1'] },
    key: 'sandbox-acme-full',
    start: '2026-11-01',
    datasets: ['tokens', 'activity', 'productivity', 'users'],
    killedAt: [1, 2, 3, 5, 8, 13, 21],
  }));

// One request a second: fewer of them.
test.each(['console', 'enterprise'] as const)(
  'a service killed between two writes about Claude of the kind %s ends with the store of an undisturbed one',
  (kind) =>
    expectSameAfterKills({
      programs,
      face: (now) => createClaudeSandbox({ now, users: 12, pace: 'unlimited' }),
      org: { platform: 'claude', kind },
      key: KEYS[kind],
      start: '2026-11-10',
      datasets: ['tokens', 'activity', 'productivity', 'users'],
      killedAt: [1, 3, 7],
    }),
);
