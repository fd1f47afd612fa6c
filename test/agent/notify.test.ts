import { expect, test } from 'vitest';
import { parseEvent, sharedPart } from '../../src/agent/event.ts';
import { notify } from '../../src/agent/notify/notify.ts';
import type { PostRequest } from '../../src/agent/post.ts';
import { defaultSettings } from '../../src/agent/settings/load-settings.ts';
import type { HookSettings, Rule } from '../../src/agent/settings/settings.ts';
// Loaded before the test: the channel's 10 ms must not pass while its code is loaded.
import '../../src/agent/notify/webhooks.ts';
import { createFakeClock } from '../support/fake-clock.ts';

const RULE: Rule = {
  ...{ events: [], reasons: [], notificationTypes: [], folders: [], minSessionMs: 0, minTurnMs: 0, send: [] },
  quiet: undefined,
  channels: ['chat'],
};
const SETTINGS: HookSettings = {
  ...defaultSettings,
  channels: { chat: { type: 'slack', url: { variable: 'CHAT' } } },
  rules: [RULE],
};

test('people are notified until the end of the run, by any channel, and no longer', async () => {
  const event = parseEvent('{"hook_event_name": "Stop", "session_id": "s"}');
  if ('problem' in event) throw new Error(event.problem);
  const requests: PostRequest[] = [];
  const errors: unknown[] = [];
  const clock = createFakeClock(0);
  await clock.advance(840);
  await notify(event, sharedPart(event, 'id', 0), SETTINGS, {
    paths: { config: { file: '/nowhere/hooks.yaml', named: false }, state: '/nowhere', home: '/' },
    post: (request) => {
      requests.push(request);
      // Never answered.
      return new Promise(() => undefined);
    },
    secret: () => 'https://chat.example/hook',
    clock,
    log: {
      error: (message, fields) => void errors.push({ message, ...fields }),
      warn: () => undefined,
      remember: () => undefined,
    },
    platform: 'linux',
    environment: {},
    soundFile: () => '',
    until: 850,
  });
  expect(requests).toMatchObject([{ timeoutMs: 10 }]);
  expect(errors).toEqual([
    { message: 'Notification failed', channel: 'chat', type: 'slack', problem: 'the deadline was exceeded' },
  ]);
});
