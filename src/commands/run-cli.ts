import { parseArguments } from '../config/arguments.ts';
import { type Option, optionsIn } from '../config/option.ts';
import { quoted } from '../config/parse.ts';
import { NotStored } from '../store/database.ts';
import { ConfigError, messageOf, PlatformError } from '../text/errors.ts';
import { suggestion } from '../text/suggestion.ts';
import type { CliEnvironment, Command } from './command.ts';

const program = 'agent-platform-exporter';

/**
 * Runs a command line (without the program's name) and returns the exit code: 2 for an invalid command line or
 * configuration, 1 for any other failure.
 */
export async function runCli(
  args: readonly string[],
  commands: readonly Command[],
  cli: CliEnvironment,
): Promise<number> {
  try {
    return await dispatch();
  } catch (error) {
    if (!(error instanceof ConfigError)) {
      cli.stderr.write(`${program}: ${describe(error)}\n`);
      return 1;
    }
    const hint = error.hint === undefined ? '' : `  ${error.hint.replaceAll('\n', '\n  ')}\n`;
    cli.stderr.write(`${program}: ${messageOf(error)}\n${hint}`);
    return 2;
  }

  async function dispatch(): Promise<number> {
    const [first, ...rest] = args;
    if (first === '--version') {
      cli.stdout.write(`${program} ${cli.version} (node ${process.versions.node})\n`);
      return 0;
    }
    if (first === 'help' || first === '--help' || first === '-h') {
      return showHelp(rest.length === 0 ? undefined : wordsOf(rest, commands)[0]);
    }
    if (first === undefined) {
      cli.stderr.write(renderHelp(commands));
      return 2;
    }
    const [name, flags] = wordsOf(args, commands);
    const command = commandNamed(name, commands);
    const parsed = parseArguments(flags, await command.options());
    if (parsed.help) return showHelp(command.name);
    const { run } = await command.load();
    return run({ ...cli, flags: parsed.flags });
  }

  async function showHelp(name: string | undefined): Promise<number> {
    cli.stdout.write(
      name === undefined ? renderHelp(commands) : await renderCommandHelp(commandNamed(name, commands)),
    );
    return 0;
  }
}

/** The name of the command, which may be two words, and what follows it. */
function wordsOf(
  [first = '', ...rest]: readonly string[],
  commands: readonly Command[],
): readonly [name: string, rest: readonly string[]] {
  const [second, ...others] = rest;
  const isFirstOfTwo = commands.some(({ name }) => name.startsWith(`${first} `));
  if (!isFirstOfTwo || second === undefined || second.startsWith('-')) return [first, rest];
  return [`${first} ${second}`, others];
}

function commandNamed(name: string, commands: readonly Command[]): Command {
  const found = commands.find((command) => command.name === name);
  if (found !== undefined) return found;
  if (name.startsWith('-')) {
    throw new ConfigError(
      'the command must come first',
      `for example: ${program} serve ${name.split('=', 1)[0]} …`,
    );
  }
  const names = commands.map((command) => command.name);
  throw new ConfigError(
    `unknown command ${quoted(name)}`,
    suggestion(name, [...names, 'help']) ?? `commands: ${names.join(', ')}`,
  );
}

// Errors of the system, the platform or the store are described by their message; any other error is a bug of the program.
function describe(error: unknown): string {
  const expected =
    error instanceof PlatformError ||
    error instanceof NotStored ||
    (error instanceof Error && 'code' in error);
  return error instanceof Error && !expected ? (error.stack ?? error.message) : messageOf(error);
}

/** Lines are shorter than this. */
const width = 100;

/** The help of the whole program. */
function renderHelp(commands: readonly Command[]): string {
  const longest = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${program} <command> [flags]`,
    '',
    'Prometheus exporter for the usage of AI coding agents.',
    '',
    'Commands:',
    ...commands.map(({ name, summary }) => `  ${name.padEnd(longest)}  ${summary}`),
    '',
    'Try it without a key:',
    `  ${program} demo`,
    '',
    'Flags:',
    '  -h, --help   Show this help, or that of a command',
    '  --version    Show the version',
    '',
  ].join('\n');
}

/** The help of one command. */
async function renderCommandHelp(command: Command): Promise<string> {
  const lines = [`Usage: ${program} ${command.name} [flags]`, '', `${command.summary}.`];
  if (command.details !== undefined) lines.push('', ...(await command.details()));
  const options = await command.options();
  const all = optionsIn(options);
  const sections = Map.groupBy(all, ({ section }) => section);
  for (const [section, members] of sections) {
    lines.push('', `${section}:`);
    for (const option of members) {
      lines.push(`  ${flagOf(option)}`, ...wrapped(descriptionOf(option), '      '));
    }
  }
  const [first] = all;
  if (first !== undefined) {
    lines.push(
      '',
      ...wrapped(`Every flag has an environment variable: --${first.flag} is ${first.env}.`, ''),
    );
  }
  if ('api.base-url' in options) {
    lines.push(
      'The API key is in AGENT_PLATFORM_API_KEY, or in the file that AGENT_PLATFORM_API_KEY_FILE names.',
    );
  }
  return `${lines.join('\n')}\n`;
}

/** How a flag is written, with the kind of its value. */
function flagOf({ flag, kind, choices }: Option): string {
  if (kind === 'boolean') return `--[no-]${flag}`;
  return `--${flag}=<${choices?.join('|') ?? kind}>`;
}

function descriptionOf({ description, standard }: Option): string {
  return standard === undefined ? `${description}.` : `${description}. Default: ${standard}`;
}

/** Lines of as many words as fit, at least one; the text has single spaces. */
function wrapped(text: string, indent: string): readonly string[] {
  const line = new RegExp(`\\S.{0,${width - indent.length - 2}}(?!\\S)|\\S+`, 'g');
  return (text.match(line) ?? []).map((words) => indent + words);
}
