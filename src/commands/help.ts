import { type Option, optionsIn } from '../config/option.ts';
import type { Command } from './command.ts';

const program = 'agent-platform-exporter';
/** Lines are shorter than this. */
const width = 100;

/** The help of the whole program. */
export function renderHelp(commands: readonly Command[]): string {
  const longest = Math.max(...commands.map(({ name }) => name.length));
  return [
    `Usage: ${program} <command> [flags]`,
    '',
    'Prometheus exporter for the usage of an AI coding-agent platform.',
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
export async function renderCommandHelp(command: Command): Promise<string> {
  const lines = [`Usage: ${program} ${command.name} [flags]`, '', `${command.summary}.`];
  if (command.details !== undefined) lines.push('', ...(await command.details()));
  const options = await command.options();
  const all = optionsIn(options);
  const sections = Map.groupBy(all, ({ section }) => section);
  for (const [section, members] of sections) {
    lines.push('', `${section}:`);
    for (const option of members) {
      lines.push(`  ${flagOf(option)}`, ...wrapped(describe(option), '      '));
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

function describe({ description, standard }: Option): string {
  return standard === undefined ? `${description}.` : `${description}. Default: ${standard}`;
}

/** Lines of as many words as fit, at least one; the text has single spaces. */
function wrapped(text: string, indent: string): readonly string[] {
  const line = new RegExp(`\\S.{0,${width - indent.length - 2}}(?!\\S)|\\S+`, 'g');
  return (text.match(line) ?? []).map((words) => indent + words);
}
