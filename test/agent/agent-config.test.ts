import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { defaultEvents, mergeAgentConfig } from '../../src/agent/agent-config.ts';

const hookCommand = { command: 'agent-platform-exporter hook', timeout: 5 };
const entry = { hooks: [{ type: 'command', command: hookCommand.command, timeout: 5 }] };

describe('a hooks configuration', () => {
  test('has the shape of the contract', () => {
    expect(mergeAgentConfig({}, ['Stop'], hookCommand).config).toEqual({ Stop: [entry] });
  });

  test('has the events that end a wait', () => {
    expect(defaultEvents).toEqual(
      expect.arrayContaining(['Notification', 'UserPromptSubmit', 'PostToolUse', 'Stop', 'SessionEnd']),
    );
  });

  test('keeps what is there', () => {
    const existing = {
      PreToolUse: [{ matcher: 'Execute', hooks: [{ type: 'command', command: 'audit' }] }],
      Stop: [{ hooks: [{ type: 'command', command: 'say done', timeout: 3 }] }],
    };
    expect(mergeAgentConfig(existing, ['Stop', 'SessionEnd'], hookCommand).config).toEqual({
      PreToolUse: existing.PreToolUse,
      Stop: [...existing.Stop, entry],
      SessionEnd: [entry],
    });
  });

  test('is merged into the agent’s hooks among other settings', () => {
    const merged = mergeAgentConfig({ model: 'm', hooks: { Stop: [] } }, ['Stop'], hookCommand);
    expect(merged.config).toEqual({ model: 'm', hooks: { Stop: [entry] } });
  });

  test.each([
    ['settings that have none yet', { model: 'm' }, false],
    ['the empty file of the settings', {}, true],
    ['settings that have only a key like an event', { Model: [] }, true],
  ])('becomes the member hooks of %s', (_, existing, isSettings) => {
    const merged = mergeAgentConfig(existing, ['Stop'], hookCommand, isSettings);
    expect(merged.config).toEqual({ ...existing, hooks: { Stop: [entry] } });
  });

  test.each([
    'agent-platform-exporter hook',
    '/usr/local/bin/agent-platform-exporter hook --config=/a.yaml',
    '/usr/bin/node /opt/x/bin/agent-platform-exporter.js hook',
    '"/opt/my node" "/opt/x y/bin/agent-platform-exporter.js" hook',
    'C:\\tools\\agent-platform-exporter.cmd hook',
    'env -u NODE_OPTIONS /usr/bin/node "/opt/x y/agent-platform-exporter.js" hook --state-dir "/a b" --config=/a.yaml',
    "'/opt/x y/agent-platform-exporter' hook --config='~/a b.yaml'",
    'agent-platform-exporter hook "--config=/home/jürgen/\\$a b.yaml" "--state-dir=/a b"',
  ])('updates %s', (command) => {
    const existing = { Stop: [{ matcher: '*', hooks: [{ type: 'command', command, timeout: 60 }] }] };
    expect(mergeAgentConfig(existing, ['Stop'], hookCommand).config).toEqual({
      Stop: [{ matcher: '*', hooks: entry.hooks }],
    });
  });

  test.each(['agent-platform-exporter hook-config', 'my-agent-platform-exporter hook', 'echo hook'])(
    'leaves %s alone',
    (command) => {
      const existing = { Stop: [{ hooks: [{ type: 'command', command }] }] };
      expect(mergeAgentConfig(existing, ['Stop'], hookCommand).config).toEqual({
        Stop: [...existing.Stop, entry],
      });
    },
  );

  test.each([
    '[ -n "$CI" ] || agent-platform-exporter hook',
    'agent-platform-exporter hook --config=/a.yaml && say done',
    'agent-platform-exporter hook | tee /tmp/log',
    'agent-platform-exporter hook; true',
    '(agent-platform-exporter hook)',
    'timeout 30 agent-platform-exporter hook',
    'x && agent-platform-exporter hook && say done',
    'nice /usr/local/bin/agent-platform-exporter hook',
    'TOKEN=$(cat token) agent-platform-exporter hook',
    'agent-platform-exporter hook --config=$HOME/a.yaml',
    'agent-platform-exporter hook "--config=$HOME/a.yaml"',
    'agent-platform-exporter hook "--other=/a b"',
    'agent-platform-exporter hook > /dev/null',
  ])('leaves a line of the user’s own around it, and names its event: %s', (command) => {
    const existing = { Stop: [{ hooks: [{ type: 'command', command, timeout: 30 }] }] };
    const merged = mergeAgentConfig(existing, ['Stop', 'SessionEnd'], hookCommand);
    expect(merged).toEqual({ config: { ...existing, SessionEnd: [entry] }, left: ['Stop'] });
  });

  test('keeps the timeout of an entry unless another one is given', () => {
    const { command } = hookCommand;
    const existing = { Stop: [{ hooks: [{ type: 'command', command, timeout: 30 }] }] };
    expect(mergeAgentConfig(existing, ['Stop'], { command }).config).toEqual(existing);
    expect(mergeAgentConfig(existing, ['Stop'], hookCommand).config).toEqual({ Stop: [entry] });
    expect(mergeAgentConfig({}, ['Stop'], { command }).config).toEqual({ Stop: [entry] });
  });

  test('is matched in linear time', () => {
    const command = `${'"a" '.repeat(20_000)}${'a=b '.repeat(20_000)}${"'".repeat(20_001)}`;
    const existing = { Stop: [{ hooks: [{ type: 'command', command }] }] };
    expect(mergeAgentConfig(existing, ['Stop'], hookCommand).left).toEqual([]);
  });

  test('is not created from something else', () => {
    expect(() => mergeAgentConfig({ Stop: 'x' }, ['Stop'], hookCommand)).toThrow(
      'Stop is not a list of entries',
    );
  });

  test('has each line of this program once for each matcher, and all others', () => {
    const own = (line: string) => ({ type: 'command', command: line, timeout: 5 });
    const other = own('say done');
    const existing = [
      { hooks: [own('/old/agent-platform-exporter hook'), other, own(hookCommand.command), other] },
      { matcher: '*', hooks: [own(hookCommand.command)] },
      { matcher: 'Edit', hooks: [own(hookCommand.command)] },
      { matcher: 'Edit', hooks: [other, own(hookCommand.command)] },
      { hooks: [] },
    ];
    expect(mergeAgentConfig({ PostToolUse: existing }, ['PostToolUse'], hookCommand).config).toEqual({
      PostToolUse: [
        { hooks: [own(hookCommand.command), other, other] },
        { matcher: 'Edit', hooks: [own(hookCommand.command)] },
        { matcher: 'Edit', hooks: [other] },
        { hooks: [] },
      ],
    });
  });

  test('merged twice is merged once', () => {
    const entries = fc.array(fc.oneof(fc.constant(entry), fc.object(), fc.string()), { maxLength: 3 });
    const existing = fc.dictionary(fc.constantFrom(...defaultEvents, 'PreToolUse'), entries);
    fc.assert(
      fc.property(existing, fc.subarray([...defaultEvents]), (before, events) => {
        const once = mergeAgentConfig(before, events, hookCommand).config;
        expect(mergeAgentConfig(once, events, hookCommand).config).toEqual(once);
        for (const event of events)
          expect(JSON.stringify(once[event]).split(hookCommand.command).length).toBeGreaterThan(1);
      }),
    );
  });
});
