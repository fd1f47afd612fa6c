import { describe, expect, test } from 'vitest';
import { run } from '../../src/commands/history-copy.ts';
import { runCli } from '../../src/commands/run-cli.ts';
import { commands } from '../../src/commands/table.ts';
import { historyCopyOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { createContext } from './surroundings.ts';

const options = {
  ...historyCopyOptions,
  'storage.path': createOptions([])['storage.path'],
  'storage.url': createOptions([])['storage.url'],
};

async function cli(...args: readonly string[]) {
  const { context, stdout, stderr } = createContext({}, []);
  const code = await runCli(args, commands, context);
  return { code, stdout: stdout(), stderr: stderr() };
}

describe('the command of two words', () => {
  test.each([[['history', 'copy', '--help']], [['help', 'history', 'copy']]])(
    'has help: %s',
    async (args) => {
      const { code, stdout } = await cli(...args);
      expect(code).toBe(0);
      expect(stdout).toContain('Usage: agent-platform-exporter history copy [flags]');
      expect(stdout).toContain('--to is AGENT_PLATFORM_HISTORY_COPY_TO');
    },
  );

  test.each([['history'], ['history', 'paste'], ['history', '--to=file']])(
    'is suggested for %s %s',
    async (...args) => {
      const { code, stderr } = await cli(...args);
      expect(code).toBe(2);
      expect(stderr).toContain('history copy');
    },
  );
});

describe('a copy', () => {
  test.each([
    [[], {}, 'no database is given'],
    [
      ['--storage.path=:memory:'],
      { AGENT_PLATFORM_STORAGE_URL: 'postgres://u@db/x' },
      'memory cannot be copied',
    ],
    [[], { AGENT_PLATFORM_STORAGE_URL: 'postgres://u@db/x' }, '--to is missing'],
    [['--storage.url=postgres://a:b@db/x'], {}, 'contains a password'],
    [
      ['--to=database', '--storage.path=/nowhere/history.db'],
      { AGENT_PLATFORM_STORAGE_URL: 'postgres://u@db/x' },
      '/nowhere/history.db does not exist',
    ],
  ])('is refused without its stores: %j %j', async (args, environment, message) => {
    const { context } = createContext(options, args, environment as Record<string, string>);
    await expect(run(context)).rejects.toThrow(message);
  });
});
