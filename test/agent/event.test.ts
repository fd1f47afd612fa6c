import { userInfo } from 'node:os';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseEvent, sharedPart } from '../../src/agent/event.ts';
import { findPaths, readHookArguments } from '../../src/agent/paths.ts';

describe('an event', () => {
  test('is recognized by its name, whatever else it contains', () => {
    const event = parseEvent('{"hook_event_name":"Brand/New","session_id":"s","reason":"why","x":{"y":1}}');
    expect(event).toMatchObject({ name: 'Brand/New', sessionId: 's', reason: 'why', cwd: undefined });
  });

  test.each([
    ['', 'the input is empty'],
    [' \n', 'the input is empty'],
    ['Stop', 'the input is not JSON'],
    ['[]', 'the input is not a JSON object'],
    ['null', 'the input is not a JSON object'],
    ['{}', 'the input has no hook_event_name'],
    ['{"hook_event_name": 7}', 'the input has no hook_event_name'],
    ['{"hook_event_name": " "}', 'the input has no hook_event_name'],
    [`{"hook_event_name": "${'x'.repeat(129)}"}`, 'hook_event_name is too long'],
  ])('%j is invalid', (text, problem) => {
    expect(parseEvent(text)).toEqual({ problem });
  });

  test('never throws, whatever the input', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const event = parseEvent(text);
        if (!('problem' in event)) JSON.stringify(sharedPart(event, 'id', 1));
      }),
    );
  });

  test('does not share any work content', () => {
    const secret = 'do not tell';
    const event = parseEvent(
      JSON.stringify({
        hook_event_name: 'Notification',
        session_id: 's',
        ...Object.fromEntries(
          ['prompt', 'tool_input', 'transcript_path', 'message', 'cwd', 'anything'].map((name) => [
            name,
            secret,
          ]),
        ),
      }),
    );
    if ('problem' in event) throw new Error(event.problem);
    expect(sharedPart(event, 'id-1', 5)).toEqual({
      id: 'id-1',
      hook_event_name: 'Notification',
      session_id: 's',
      occurred_at: 5,
    });
  });

  test.each([
    ['Notification', 'auth_success', { notification_type: 'auth_success' }],
    ['Notification', 'x'.repeat(300), { notification_type: 'x'.repeat(256) }],
    ['Notification', '', {}],
    ['Notification', 7, {}],
    ['Stop', 'auth_success', {}],
  ])('%s of the type %j shares %j', (name, type, shared) => {
    const event = parseEvent(JSON.stringify({ hook_event_name: name, notification_type: type }));
    if ('problem' in event) throw new Error(event.problem);
    expect(sharedPart(event, 'id-1', 5)).toEqual({
      id: 'id-1',
      hook_event_name: name,
      ...shared,
      occurred_at: 5,
    });
  });
});

test('arguments are accepted in both forms, and none is rejected', () => {
  expect(readHookArguments(['--config=a', '--state-dir', 'b', '--cnofig=secret', 'word'])).toEqual({
    config: 'a',
    stateDir: 'b',
    unknown: ['--cnofig', 'word'],
  });
  expect(readHookArguments(['--config'])).toEqual({ config: undefined, stateDir: undefined, unknown: [] });
});

describe('paths', () => {
  const nothing = { config: undefined, stateDir: undefined };

  test('are below the home folder', () => {
    expect(findPaths(nothing, { HOME: '/home/a' })).toEqual({
      config: { file: '/home/a/.config/agent-platform-exporter/hooks.yaml', named: false },
      state: '/home/a/.local/state/agent-platform-exporter/hooks',
      home: '/home/a',
    });
  });

  test('follow the XDG variables where these are absolute', () => {
    const environment = { HOME: '/home/a', XDG_CONFIG_HOME: '/c', XDG_STATE_HOME: 'relative' };
    expect(findPaths(nothing, environment)).toMatchObject({
      config: { file: '/c/agent-platform-exporter/hooks.yaml' },
      state: '/home/a/.local/state/agent-platform-exporter/hooks',
    });
  });

  test.each([{}, { HOME: '' }, { HOME: '.' }])(
    "are never in the working directory, which may be somebody else's repository: %j",
    (environment) => {
      const home = userInfo().homedir;
      expect(findPaths(nothing, environment)).toEqual({
        config: { file: `${home}/.config/agent-platform-exporter/hooks.yaml`, named: false },
        state: `${home}/.local/state/agent-platform-exporter/hooks`,
        home,
      });
    },
  );

  test('differ by file, so that events spooled for one URL never go to another', () => {
    const states = ['/a.yaml', '/b.yaml'].map(
      (config) => findPaths({ config, stateDir: undefined }, { HOME: '/h' }).state,
    );
    expect(new Set(states).size).toBe(2);
  });

  test('are given by flag before environment', () => {
    const environment = {
      AGENT_PLATFORM_HOOK_CONFIG: '/e.yaml',
      AGENT_PLATFORM_HOOK_STATE_DIR: '/e',
      HOME: '/h',
    };
    expect(findPaths(nothing, environment)).toMatchObject({
      config: { file: '/e.yaml', named: true },
      state: '/e',
    });
    expect(findPaths({ config: '~/f.yaml', stateDir: '/f' }, environment)).toMatchObject({
      config: { file: '/h/f.yaml' },
      state: '/f',
    });
  });
});

// A pattern that tries all ways to divide a string would need years, so that the time limit of the test decides.
test.each(['\\', '\\"'])('an event that is cut within an escape (%s) is read up to there', (end) => {
  const text = `{"hook_event_name":"Stop","prompt":"${'a'.repeat(1000)}${end}`;
  expect(parseEvent(text, true)).toMatchObject({ name: 'Stop' });
});
