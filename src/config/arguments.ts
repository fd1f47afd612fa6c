import { parseArgs } from 'node:util';
import { ConfigError } from '../runtime/errors.ts';
import { suggestion } from '../runtime/suggestion.ts';
import { type Option, type OptionTable, optionsIn, type RawOption, type RawOptions } from './option.ts';
import { quoted } from './parse.ts';

/** The flags of a command line, or a request for help. */
type ParsedArguments = { readonly help: true } | { readonly help: false; readonly flags: RawOptions };

/**
 * Parses the arguments of a command: `--flag value`, `--flag=value`, `--switch`, `--no-switch`. Throws a `ConfigError`
 * for unknown and repeated flags and for anything that is not a flag.
 */
export function parseArguments(args: readonly string[], options: OptionTable): ParsedArguments {
  const declared: Record<string, { type: 'boolean' | 'string'; short?: string }> = {
    help: { type: 'boolean', short: 'h' },
  };
  const known = new Map(optionsIn(options).map((option) => [option.flag, option]));
  for (const [name, { kind }] of known) {
    declared[name] = { type: kind === 'boolean' ? 'boolean' : 'string' };
    if (kind === 'boolean') declared[`no-${name}`] = { type: 'boolean' };
  }
  const { tokens } = parseArgs({
    args: [...args],
    options: declared,
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const flags = new Map<string, RawOption>();
  for (const token of tokens) {
    if (token.kind === 'option-terminator') continue;
    if (token.kind === 'positional') throw unexpected(token.value);
    const written = args[token.index]?.split('=', 1)[0] ?? token.rawName;
    if (token.name === 'help' && (written === '--help' || written === '-h')) return { help: true };
    if (!written.startsWith('--') || !Object.hasOwn(declared, token.name))
      throw unknownFlag(written, declared);
    const { name, text } = readFlag(token.name, written, token.value, token.inlineValue, known);
    const earlier = flags.get(name);
    if (earlier !== undefined && known.get(name)?.repeatable !== true) {
      throw new ConfigError(`${written} is given twice`);
    }
    flags.set(name, { texts: [...(earlier?.texts ?? []), text], origin: written });
  }
  return { help: false, flags };
}

function readFlag(
  tokenName: string,
  written: string,
  value: string | undefined,
  inline: boolean | undefined,
  known: ReadonlyMap<string, Option>,
): { name: string; text: string } {
  const option = known.get(tokenName);
  if (option === undefined) {
    if (value !== undefined) throw new ConfigError(`${written} takes no value`);
    return { name: tokenName.slice('no-'.length), text: 'false' };
  }
  if (option.kind === 'boolean') return { name: tokenName, text: value ?? 'true' };
  if (value === undefined || (inline !== true && value.startsWith('--'))) {
    throw new ConfigError(`${written} needs a value`, `write ${written}=<${option.kind}>`);
  }
  return { name: tokenName, text: value };
}

function unexpected(argument: string): ConfigError {
  return new ConfigError(
    `unexpected argument ${quoted(argument)}`,
    'commands accept only flags: --name=value',
  );
}

// The value is omitted from the message: it may be a key that was mistaken for a flag's value.
function unknownFlag(written: string, declared: object): ConfigError {
  const name = written.replace(/^-+/, '');
  if (/^(api[._-]?)?(key|token)([._-]?file)?$/i.test(name)) {
    return new ConfigError(
      `${written} is not a flag: keys are not accepted on the command line`,
      'set AGENT_PLATFORM_API_KEY or AGENT_PLATFORM_API_KEY_FILE instead',
    );
  }
  const known = Object.keys(declared).map((flag) => `--${flag}`);
  return new ConfigError(`unknown flag ${written.slice(0, 100)}`, suggestion(`--${name}`, known));
}
