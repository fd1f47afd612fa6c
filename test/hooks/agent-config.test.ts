import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { agentConfig, defaultEvents, mergeAgentConfig } from '../../src/hooks/agent-config.ts';

const hookCommand = { command: 'agent-platform-exporter hook', timeout: 5 };
const entry = { hooks: [{ type: 'command', command: hookCommand.command, timeout: 5 }] };

describe('a hooks configuration', () => {
  test('has the shape of the contract', () => {
    expect(agentConfig(['Stop'], hookCommand)).toEqual({ Stop: [entry] });
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
    expect(mergeAgentConfig(existing, ['Stop', 'SessionEnd'], hookCommand)).toEqual({
      PreToolUse: existing.PreToolUse,
      Stop: [...existing.Stop, entry],
      SessionEnd: [entry],
    });
  });

  test('is merged into the agent’s hooks among other settings', () => {
    const merged = mergeAgentConfig({ model: 'm', hooks: { Stop: [] } }, ['Stop'], hookCommand);
    expect(merged).toEqual({ model: 'm', hooks: { Stop: [entry] } });
  });

  test.each([
    'agent-platform-exporter hook',
    '/usr/local/bin/agent-platform-exporter hook --config=/a.yaml',
    '/usr/bin/node /opt/x/bin/agent-platform-exporter.js hook',
    '"/opt/my node" "/opt/x y/bin/agent-platform-exporter.js" hook',
    'C:\\tools\\agent-platform-exporter.cmd hook',
  ])('updates %s', (command) => {
    const existing = { Stop: [{ matcher: '*', hooks: [{ type: 'command', command, timeout: 60 }] }] };
    expect(mergeAgentConfig(existing, ['Stop'], hookCommand)).toEqual({
      Stop: [{ matcher: '*', hooks: entry.hooks }],
    });
  });

  test.each(['agent-platform-exporter hook-config', 'my-agent-platform-exporter hook', 'echo hook'])(
    'leaves %s alone',
    (command) => {
      const existing = { Stop: [{ hooks: [{ type: 'command', command }] }] };
      expect(mergeAgentConfig(existing, ['Stop'], hookCommand)).toEqual({ Stop: [...existing.Stop, entry] });
    },
  );

  test('is not created from something else', () => {
    expect(() => mergeAgentConfig({ Stop: 'x' }, ['Stop'], hookCommand)).toThrow(
      'Stop is not a list of entries',
    );
  });

  test('merged twice is merged once', () => {
    const entries = fc.array(fc.oneof(fc.constant(entry), fc.object(), fc.string()), { maxLength: 3 });
    const existing = fc.dictionary(fc.constantFrom(...defaultEvents, 'PreToolUse'), entries);
    fc.assert(
      fc.property(existing, fc.subarray([...defaultEvents]), (before, events) => {
        const once = mergeAgentConfig(before, events, hookCommand);
        expect(mergeAgentConfig(once, events, hookCommand)).toEqual(once);
        for (const event of events)
          expect(JSON.stringify(once[event]).split(hookCommand.command).length).toBeGreaterThan(1);
      }),
    );
  });
});
