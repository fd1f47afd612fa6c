import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'vitest';
import { parseEvent, sharedPart } from '../../src/agent/event.ts';
import { readSettings } from '../../src/agent/settings/settings.ts';
import { parseYaml } from '../../src/config/parse-yaml.ts';
import { readBatch } from '../../src/intake/event.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { loadWebSettings } from '../../src/web-config/load.ts';
import { createFakeFiles } from '../support/fake-files.ts';
import { mutated, mutatedText } from './mutations.ts';
import { drawn } from './random.ts';
import { tryAll } from './trial.ts';

const WEB_CASES = path.resolve(import.meta.dirname, '../web-config/cases');
const HASH = '$2y$10$abcdefghijklmnopqrstuuABCDEFGHIJKLMNOPQRSTUVWXYZ01234';
const PRIVATE = ['planted prompt', 'planted-tool-input', '/home/planted/transcript', 'planted message'];

const NOW = Date.UTC(2026, 10, 20, 12);
const SPAN = { now: NOW, from: NOW - 86_400_000 };

const HOOK_SETTINGS = `
deadline: 2s
forward: {url: 'https://exporter.example.com:9889', token_file: token, timeout: 1s, spool: {max_size: 4MiB, max_age: 7d}}
channels:
  desk: {type: desktop}
  bell: {type: sound, volume: 0.4}
  team: {type: slack, url_file: slack-url}
  mail: {type: email, host: smtp.example.com, port: 587, from: a@example.com, to: [b@example.com], user: a, password_file: p}
  own: {type: webhook, url: 'https://hooks.example.com/x', secret_file: s}
quiet_hours: {from: '22:00', to: '07:00', time_zone: Europe/Berlin, days: [mon, tue]}
rules:
  - {event: Notification, channels: [desk, bell], message: '{message}'}
  - {event: SessionEnd, reason: [error], min_session: 2m, cwd: '~/work/**', channels: [team, mail]}
`;

const EVENT = {
  hook_event_name: 'Notification',
  session_id: '3f0a',
  cwd: '/home/planted/project',
  reason: 'other',
  message: PRIVATE[3],
  prompt: PRIVATE[0],
  tool_input: { command: PRIVATE[1] },
  transcript_path: PRIVATE[2],
};

test('whatever a web configuration contains, it is parsed or rejected in one line', async () => {
  const [first = '', ...rest] = globSync('*.yml', { cwd: WEB_CASES }).map((name) =>
    readFileSync(path.join(WEB_CASES, name), 'utf8'),
  );
  await tryAll({
    seeds: 8_000,
    secrets: [HASH],
    isForeseen: (error) => error instanceof ConfigError,
    async run(random) {
      const text = mutatedText(`${drawn([first, ...rest], random)}\n# ${HASH}\n`, random);
      await loadWebSettings('web.yml', createFakeFiles(new Map([['web.yml', text]])));
      return '';
    },
  });
});

test('whatever the settings of the hook contain, they are parsed or rejected in one line', async () => {
  await tryAll({
    seeds: 8_000,
    secrets: [],
    isForeseen: (error) => error instanceof ConfigError,
    run(random) {
      const root = parseYaml(mutatedText(HOOK_SETTINGS, random), '/etc/hooks.yaml');
      return JSON.stringify(readSettings(root, '/home/planted'));
    },
  });
});

test('whatever the agent reports, nothing about its work is passed on to others', async () => {
  await tryAll({
    seeds: 10_000,
    secrets: [...PRIVATE, '/home/planted/project'],
    isForeseen: () => false,
    run: (random) => told(JSON.stringify(mutated(EVENT, random))),
  });
});

test('whatever bytes the agent sends, they are an event or there is a reason why not', async () => {
  await tryAll({
    seeds: 10_000,
    secrets: [],
    isForeseen: () => false,
    run: (random) => told(mutatedText(JSON.stringify(EVENT), random)),
  });
});

test('whatever is posted as hook events, it is accepted, or rejected without quoting it', async () => {
  await tryAll({
    seeds: 15_000,
    secrets: [...PRIVATE, '/home/planted/project'],
    isForeseen: () => false,
    run(random) {
      const events = [1, 2, 3].map((id) => ({ ...EVENT, id: `event-${id}`, occurred_at: NOW }));
      const body = random() < 0.3 ? events[0] : { events };
      const text = JSON.stringify(mutated(body, random));
      // A mutated text may move one member's text into another, which then reveals it by itself.
      if (random() < 0.5) return JSON.stringify(readBatch(text, SPAN));
      readBatch(mutatedText(text, random), SPAN);
      return '';
    },
  });
});

function told(text: string): string {
  const event = parseEvent(text);
  return 'problem' in event ? event.problem : JSON.stringify(sharedPart(event, 'id', 0));
}
