import { describe, expect, test } from 'vitest';
import type { Command } from '../../src/commands/command.ts';
import { runCli } from '../../src/commands/run-cli.ts';
import { commands } from '../../src/commands/table.ts';
import * as kinds from '../../src/config/kinds.ts';
import { option, optionsOf } from '../../src/config/option.ts';
import { NotStored } from '../../src/store/database.ts';
import { ConfigError, PlatformError } from '../../src/text/errors.ts';
import { createContext } from './surroundings.ts';

const options = {
  ...optionsOf('Log', ['serve'], 'live', {
    'log.level': option('How much', kinds.choice('info', 'debug').prefault('info')),
  }),
  ...optionsOf('Web', ['serve'], 'live', {
    'web.quick': option('Whether it hurries', kinds.boolean.prefault(false)),
    days: option('How many', kinds.integer()),
  }),
};

function command(run: Awaited<ReturnType<Command['load']>>['run']): Command {
  return {
    name: 'serve',
    summary: 'Serve it',
    details: async () => ['More about it.'],
    options: async () => options,
    load: async () => ({ run }),
  };
}

async function cli(
  args: readonly string[],
  listed: readonly Command[] = [command(async () => 0)],
): Promise<{ code: number; stdout: string; stderr: string }> {
  const { context, stdout, stderr } = createContext({}, []);
  const code = await runCli(args, listed, context);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('a command', () => {
  test('receives its flags and returns the exit code', async () => {
    const given: unknown[] = [];
    const run = command(async ({ flags, stdout }) => {
      given.push(...flags.keys());
      stdout.write('done\n');
      return 7;
    });
    expect(await cli(['serve', '--days', '3', '--web.quick'], [run])).toEqual({
      code: 7,
      stdout: 'done\n',
      stderr: '',
    });
    expect(given).toEqual(['days', 'web.quick']);
  });

  test('with an invalid configuration exits with 2, one line and a hint', async () => {
    const run = command(async () => {
      throw new ConfigError('the file is wrong', 'first way\nsecond way');
    });
    expect(await cli(['serve'], [run])).toEqual({
      code: 2,
      stdout: '',
      stderr: 'agent-platform-exporter: the file is wrong\n  first way\n  second way\n',
    });
  });

  test.each([
    [Object.assign(new Error('listen EADDRINUSE'), { code: 'EADDRINUSE' }), 'listen EADDRINUSE'],
    [new PlatformError('server', 'answered 500'), 'answered 500'],
    [new NotStored('the database is slow', { reason: 'slow', detail: '', hint: '' }), 'the database is slow'],
    ['a text', 'a text'],
  ])('that fails otherwise exits with 1 and one line', async (thrown, line) => {
    const run = command(async () => {
      throw thrown;
    });
    expect(await cli(['serve'], [run])).toEqual({
      code: 1,
      stdout: '',
      stderr: `agent-platform-exporter: ${line}\n`,
    });
  });

  test('with a programming error shows its location', async () => {
    const run = command(async () => {
      throw new TypeError('x is not a function');
    });
    const { code, stderr } = await cli(['serve'], [run]);
    expect(code).toBe(1);
    expect(stderr).toMatch(
      /^agent-platform-exporter: TypeError: x is not a function\n +at .*run-cli\.test\.ts/,
    );
  });
});

describe('an invalid command line', () => {
  test.each([
    [['srve'], 'unknown command "srve"', 'did you mean serve?'],
    [['zzzzzzzz'], 'unknown command "zzzzzzzz"', 'commands: serve'],
    [['help', 'srve'], 'unknown command "srve"', 'did you mean serve?'],
    [
      ['--days=3', 'serve'],
      'the command must come first',
      'for example: agent-platform-exporter serve --days …',
    ],
    [['serve', '--day=3'], 'unknown flag --day', 'did you mean --days?'],
  ])('%j', async (args, message, hint) => {
    expect(await cli(args)).toEqual({
      code: 2,
      stdout: '',
      stderr: `agent-platform-exporter: ${message}\n  ${hint}\n`,
    });
  });

  test('an empty command line shows the help as an error', async () => {
    const { code, stdout, stderr } = await cli([]);
    expect([code, stdout]).toEqual([2, '']);
    expect(stderr).toContain('Commands:\n  serve  Serve it\n');
  });
});

describe('help', () => {
  test.each([[['--help']], [['-h']], [['help']]])('%j lists the commands', async (args) => {
    const { code, stdout } = await cli(args);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: agent-platform-exporter <command> [flags]');
    expect(stdout).toContain('  serve  Serve it');
  });

  test.each([[['serve', '--help']], [['help', 'serve']], [['serve', '--days=1', '-h']]])(
    '%j lists the flags of the command',
    async (args) => {
      const { code, stdout } = await cli(args);
      expect(code).toBe(0);
      expect(stdout).toBe(`Usage: agent-platform-exporter serve [flags]

Serve it.

More about it.

Log:
  --log.level=<info|debug>
      How much. Default: info

Web:
  --[no-]web.quick
      Whether it hurries. Default: false
  --days=<integer>
      How many.

Every flag has an environment variable: --log.level is AGENT_PLATFORM_LOG_LEVEL.
`);
    },
  );

  test('of every real command fits the width of a terminal', async () => {
    for (const { name } of commands.filter((one) => one.name !== 'sandbox')) {
      const { code, stdout } = await cli([name, '--help'], commands);
      expect(code).toBe(0);
      expect(stdout.split('\n').filter((line) => line.length > 100)).toEqual([]);
    }
  });

  test('of sandbox lists the faults', async () => {
    expect((await cli(['help', 'sandbox'], commands)).stdout).toContain('late');
  });
});

test('the version', async () => {
  expect(await cli(['--version'])).toEqual({
    code: 0,
    stdout: `agent-platform-exporter 1.2.3 (node ${process.versions.node})\n`,
    stderr: '',
  });
});
