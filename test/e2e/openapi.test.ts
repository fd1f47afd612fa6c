import { writeFileSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import path from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect, test } from 'vitest';
import { type Operation, openapi, operations } from '../server/openapi.ts';
import { createDirectory } from '../store/files.ts';
import { waitFor } from '../support/wait-for.ts';
import { startStory } from './harness.ts';

const TOKEN = 'the-token';
const TOKEN_SET = { AGENT_PLATFORM_HOOKS_TOKEN: TOKEN };
const OPENMETRICS = 'application/openmetrics-text; version=1.0.0';

const ajv = new Ajv2020({
  strict: false,
  formats: { date: /^\d{4}-\d\d-\d\d$/, 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/ },
});
ajv.addSchema(openapi, 'openapi');

interface Asked {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** Called when a part of the body was sent and the rest is not. */
  readonly whileSending?: (isAnswered: () => boolean) => Promise<void>;
}

interface Answered {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

/** Sends a request with exactly these headers. */
async function ask(address: string, method: string, target: string, asked: Asked): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>();
  let isAnswered = false;
  const sent = httpRequest(new URL(target, address), { method, headers: asked.headers ?? {} }, (response) => {
    isAnswered = true;
    let text = '';
    response.setEncoding('utf8');
    response.on('data', (part: string) => {
      text += part;
    });
    response.on('end', () => {
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'] ?? '', text });
    });
  });
  sent.on('error', reject);
  if (asked.whileSending === undefined) {
    sent.end(asked.body);
  } else {
    sent.write(asked.body);
    await asked.whileSending(() => isAnswered);
  }
  return await promise.finally(() => sent.destroy());
}

/** The schema of an answer with its references into the description. */
function schemaOf(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/'));
}

/** Asks and compares every answer with the description; `seen` collects what was answered. */
function createCheck(address: string, seen: Set<string>) {
  return async (method: Operation['method'], target: string, asked: Asked = {}): Promise<Answered> => {
    const [route = ''] = target.split('?', 1);
    const operation = operations.find((one) => one.method === method && one.path === route);
    const answer = await ask(address, method.toUpperCase(), target, asked);
    const key = `${method} ${route} ${answer.status}`;
    const content = operation?.answers.get(String(answer.status)) ?? operation?.answers.get('default');
    const media = answer.type.split(';', 1)[0] ?? '';
    expect(Object.keys(content ?? {}), key).toContain(media);
    if (media === 'application/json') {
      const isValid = ajv.compile(schemaOf(content?.[media]?.schema ?? {}));
      expect(isValid(JSON.parse(answer.text)) || isValid.errors, key).toBe(true);
    }
    seen.add(operation?.answers.has(String(answer.status)) ? key : `${key}, default`);
    return answer;
  };
}

test('every route answers with a described status, type and schema, and every described status occurs', async () => {
  const seen = new Set<string>();
  const story = await startStory({
    flags: ['web.enable-lifecycle', 'web.allowed-hosts=exporter.example'],
    environment: TOKEN_SET,
  });
  const check = createCheck(story.url, seen);

  const noCoding = { headers: { 'accept-encoding': 'identity;q=0' } };
  for (const target of ['/metrics?', '/probe?target=acme&']) {
    await check('get', target);
    expect((await check('get', target, { headers: { accept: OPENMETRICS } })).type).toContain('openmetrics');
    await check('get', `${target}collect[]=tokens`);
    await check('get', `${target}collect[]=none`);
    await check('get', target, noCoding);
  }
  await check('get', '/probe');
  await check('get', '/probe?target=nobody');
  for (const target of ['/', '/status']) {
    await check('get', target);
    await check('get', target, { headers: { accept: 'image/png' } });
  }
  await check('get', '/?org=nobody');
  await check('get', '/-/healthy');
  await check('get', '/-/ready');
  await check('get', '/metrics', { headers: { host: 'elsewhere.example' } });
  expect(seen).toContain('get /metrics 421, default');

  for (const target of ['/-/refresh', '/-/reload']) {
    await check('post', target);
    await check('post', target, { headers: { 'sec-fetch-site': 'cross-site' } });
  }
  await story.reload(() => {
    throw new Error('no configuration');
  });
  await check('post', '/-/reload');

  const event = { id: 'e1', hook_event_name: 'Stop', session_id: 's1', occurred_at: story.clock.now() };
  const own = { authorization: `Bearer ${TOKEN}`, 'content-type': 'application/json' };
  const send = (body: string, headers: Readonly<Record<string, string>> = own) =>
    check('post', '/hooks/events', { body, headers });
  await send(JSON.stringify({ events: [event, { ...event, id: '!' }] }));
  await send('{}');
  await send(JSON.stringify(event), { ...own, 'content-type': 'text/plain' });
  await send(JSON.stringify({ events: Array.from({ length: 1001 }, () => event) }));
  await check('post', '/hooks/events', {
    headers: { ...own, 'content-length': '10' },
    body: '{',
    whileSending: (isAnswered) =>
      waitFor(() => {
        story.clock.advance(1000);
        expect(isAnswered()).toBe(true);
      }),
  });
  for (let status = 401; status !== 429; ) {
    status = (await send(JSON.stringify(event), { ...own, authorization: 'Bearer wrong' })).status;
  }
  const directory = path.join(createDirectory(), 'data');
  writeFileSync(directory, 'in the way');
  const full = await startStory({
    flags: [`storage.path=${path.join(directory, 'history.db')}`],
    environment: TOKEN_SET,
    polled: false,
  });
  await createCheck(full.url, seen)('post', '/hooks/events', { body: JSON.stringify(event), headers: own });

  const silent = await startStory({
    sandbox: { faults: ['slow=1:600000'] },
    flags: ['api.timeout=10m'],
    polled: false,
  });
  const checkSilent = createCheck(silent.url, seen);
  await checkSilent('get', '/-/ready');
  await checkSilent('post', '/hooks/events', { headers: own, body: '{}' });

  const described = operations.flatMap(({ method, path, answers }) =>
    [...answers.keys()]
      .filter((status) => status !== 'default')
      .map((status) => `${method} ${path} ${status}`),
  );
  expect([...seen].filter((key) => !key.endsWith('default')).toSorted()).toEqual(described.toSorted());
});

test('every other method is refused with the one of the description', async () => {
  const story = await startStory({ polled: false });
  for (const { method, path: route } of operations) {
    const answer = await ask(story.url, 'DELETE', route, {});
    const isHook = route === '/hooks/events';
    expect([route, answer.status]).toEqual([route, isHook ? 404 : 405]);
    if (!isHook) expect(answer.text).toContain(method.toUpperCase());
  }
});
