import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseArguments } from '../../src/config/arguments.ts';
import { sandboxOptions } from '../../src/config/command-options.ts';
import { createOptions } from '../../src/config/options.ts';
import { ConfigError } from '../../src/text/errors.ts';
import { collectors, configErrorOf } from './loading.ts';

const options = { ...createOptions(collectors), fault: sandboxOptions.fault };

function parse(...args: string[]): unknown {
  const parsed = parseArguments(args, options);
  if (parsed.help) return 'help';
  return Object.fromEntries([...parsed.flags].map(([name, { texts }]) => [name, texts]));
}

describe('flags', () => {
  test.each([
    [['--org', 'acme'], { org: ['acme'] }],
    [['--org=acme'], { org: ['acme'] }],
    [['--org=a=b'], { org: ['a=b'] }],
    [['--org='], { org: [''] }],
    [['--org=--x'], { org: ['--x'] }],
    [['--api.retries', '-1'], { 'api.retries': ['-1'] }],
    [['--web.enable-lifecycle'], { 'web.enable-lifecycle': ['true'] }],
    [['--web.enable-lifecycle=false'], { 'web.enable-lifecycle': ['false'] }],
    [['--no-web.enable-lifecycle'], { 'web.enable-lifecycle': ['false'] }],
    [
      ['--no-collector.tokens', '--collector.wiki'],
      { 'collector.tokens': ['false'], 'collector.wiki': ['true'] },
    ],
    [['--fault', '429=0.1', '--fault=close'], { fault: ['429=0.1', 'close'] }],
    [[], {}],
  ])('%j', (args, given) => {
    expect(parse(...args)).toEqual(given);
  });

  test.each([[['--help']], [['-h']], [['--org', 'a', '-h']]])('%j asks for help', (args) => {
    expect(parse(...args)).toBe('help');
  });
});

describe('an invalid command line', () => {
  test.each([
    [['--log.levl', 'debug'], 'unknown flag --log.levl', 'did you mean --log.level?'],
    [['-log.level=debug'], 'unknown flag -log.level', 'did you mean --log.level?'],
    [['--no-collector.wki'], 'unknown flag --no-collector.wki', 'did you mean --no-collector.wiki?'],
    [['--zzzzzzz=planted-secret'], 'unknown flag --zzzzzzz', undefined],
    [['--no-org'], 'unknown flag --no-org', undefined],
    [['--constructor'], 'unknown flag --constructor', undefined],
    [['--__proto__=1'], 'unknown flag --__proto__', undefined],
    [
      ['--api.key=planted-secret'],
      '--api.key is not a flag: keys are not accepted on the command line',
      'set AGENT_PLATFORM_API_KEY or AGENT_PLATFORM_API_KEY_FILE instead',
    ],
    [['--org'], '--org needs a value', 'write --org=<org-name>'],
    [['--org', '--log.level=debug'], '--org needs a value', 'write --org=<org-name>'],
    [['--org=a', '--org=b'], '--org is given twice', undefined],
    [['--collector.wiki', '--no-collector.wiki'], '--no-collector.wiki is given twice', undefined],
    [['--no-collector.wiki=true'], '--no-collector.wiki takes no value', undefined],
    [['production'], 'unexpected argument "production"', 'commands accept only flags: --name=value'],
    [['--', '--org=a'], 'unexpected argument "--org=a"', 'commands accept only flags: --name=value'],
  ])('%j', async (args, message, hint) => {
    expect(await configErrorOf(() => parse(...args))).toEqual({ message, hint });
  });
});

test('any command line is parsed or rejected with an error', () => {
  const word = fc.oneof(
    fc.string(),
    fc.constantFrom('--org', '-h', '--', '--no-', '-', '--=', '--fault=', '-abc'),
  );
  fc.assert(
    fc.property(fc.array(word, { maxLength: 6 }), (args) => {
      try {
        parse(...args);
      } catch (error) {
        expect(error).toBeInstanceOf(ConfigError);
      }
    }),
  );
});
