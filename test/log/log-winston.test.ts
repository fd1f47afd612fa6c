import { PassThrough, Writable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createLogger, type LogFormat, type LogLevel } from '../../src/log/log-winston.ts';
import type { Logger } from '../../src/log/logger.ts';
import { createRedactor } from '../../src/log/redact.ts';
import { writtenTo } from '../support/written.ts';

interface Setup {
  readonly format?: LogFormat;
  readonly level?: LogLevel;
  readonly secrets?: readonly string[];
}

/** Everything that is written while `use` has the logger. */
async function written(use: (log: Logger) => void, setup: Setup = {}): Promise<string> {
  const stream = new PassThrough();
  const log = createLogger({
    level: setup.level ?? 'info',
    format: setup.format ?? 'logfmt',
    stream,
    clock: { now: () => Date.UTC(2026, 10, 20, 10) },
    redactor: createRedactor(() => setup.secrets ?? []),
  });
  use(log);
  await log.close();
  return writtenTo(stream);
}

describe('a logfmt line', () => {
  test('has time, level and message, then the fields in their order', async () => {
    const line = await written((log) =>
      log.info('collector ran', { org: 'acme', collector: 'tokens', rows: 3 }),
    );
    expect(line).toBe(
      'ts=2026-11-20T10:00:00.000Z level=info msg="collector ran" org=acme collector=tokens rows=3\n',
    );
  });

  test.each([
    ['plain', 'plain'],
    ['two words', '"two words"'],
    ['a=b', '"a=b"'],
    ['say "x"', '"say \\"x\\""'],
    ['back\\slash', '"back\\\\slash"'],
    ['line\nbreak', '"line\\nbreak"'],
    ['\u001b[31m', '"\\u001b[31m"'],
    ['\u202eevil', '"\\u202eevil"'],
    ['\u2028', '"\\u2028"'],
    ['', '""'],
    ['ünï', 'ünï'],
    [1.5, '1.5'],
    [Number.NaN, 'NaN'],
    [true, 'true'],
    [null, 'null'],
    [12n, '12'],
    [[1, 'a'], '"[1,\\"a\\"]"'],
  ])('shows %o as %s', async (value, shown) => {
    expect(await written((log) => log.info('m', { value }))).toBe(
      `ts=2026-11-20T10:00:00.000Z level=info msg=m value=${shown}\n`,
    );
  });

  test('omits undefined fields and makes keys plain', async () => {
    const line = await written((log) => log.info('m', { gone: undefined, 'a b': 1, msg: 2 }));
    expect(line).toContain('msg=m a_b=1 msg_=2\n');
  });

  test('is one line for any text', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: 'binary' }),
        fc.string({ unit: 'binary' }),
        async (message, value) => {
          const text = await written((log) => log.info(message, { value }));
          expect(text.match(/[\n\r\u2028\u2029]/g)).toEqual(['\n']);
        },
      ),
      { numRuns: 50 },
    );
  });
});

describe('a JSON line', () => {
  test('has the same keys', async () => {
    const line = await written((log) => log.warn('slow', { org: 'acme', rows: 1, ratio: Number.NaN }), {
      format: 'json',
    });
    expect(JSON.parse(line)).toEqual({
      ts: '2026-11-20T10:00:00.000Z',
      level: 'warn',
      msg: 'slow',
      org: 'acme',
      rows: 1,
      ratio: 'NaN',
    });
  });
});

describe('an error in a field', () => {
  const error = Object.assign(new Error('connect\nrefused', { cause: new Error('no route') }), {
    code: 'ECONNREFUSED',
  });

  test('is its message, code and cause on one line', async () => {
    expect(await written((log) => log.error('m', { error }))).toContain(
      'error="connect refused (ECONNREFUSED); caused by: no route"\n',
    );
  });

  test('shows its stack at debug only', async () => {
    expect(await written((log) => log.error('m', { error }))).not.toContain('_stack');
    expect(await written((log) => log.error('m', { error }), { level: 'debug' })).toContain(
      'error_stack="Error',
    );
  });
});

describe('the level', () => {
  test.each([
    ['error', ['error']],
    ['warn', ['error', 'warn']],
    ['info', ['error', 'warn', 'info']],
    ['debug', ['error', 'warn', 'info', 'debug']],
  ] as const)('%s shows %j', async (level, shown) => {
    const text = await written(
      (log) => {
        log.error('m');
        log.warn('m');
        log.info('m');
        log.debug('m');
      },
      { level },
    );
    expect([...text.matchAll(/level=(\w+)/g)].map((match) => match[1])).toEqual(shown);
  });
});

describe('a secret', () => {
  const secrets = fc
    .string({ unit: 'binary', minLength: 6, maxLength: 40 })
    .filter((text) => text.trim().length >= 6 && !/^[*\s]+$/.test(text) && !/^\d+$/.test(text.trim()));

  test.each(['logfmt', 'json'] as const)('never appears in %s, wherever it is placed', async (format) => {
    await fc.assert(
      fc.asyncProperty(secrets, fc.lorem(), async (secret, text) => {
        const planted = `${text}${secret}`;
        const lines = await written(
          (log) => {
            log.error(planted, {
              plain: planted,
              nested: {
                list: [planted, { [planted]: planted }],
              },
              error: new Error(planted, { cause: Object.assign(new Error(planted), { code: planted }) }),
              [planted]: 1,
            });
          },
          { format, level: 'debug', secrets: [secret] },
        );
        expect(lines).not.toContain(secret.trim());
        expect(lines).not.toContain(JSON.stringify(secret.trim()).slice(1, -1));
      }),
      { numRuns: 60 },
    );
  });

  test('is masked by the name of its field alone', async () => {
    const line = await written((log) => log.info('m', { password: 'x1', headers: { Authorization: 'y2' } }));
    expect(line).toContain('password=***');
    expect(line).not.toMatch(/x1|y2/);
  });
});

describe('a line', () => {
  test.each(['logfmt', 'json'] as const)(
    'in %s has at most 8 KiB and says when it was truncated',
    async (format) => {
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.constantFrom('x', '"', '\u0001', 'ü', '😀'), fc.nat(20_000)), {
            maxLength: 4,
          }),
          async (parts) => {
            const fields = Object.fromEntries(
              parts.map(([unit, count], index) => [`f${index}`, unit.repeat(count)]),
            );
            const text = await written((log) => log.info('m', fields), { format });
            expect(Buffer.byteLength(text)).toBeLessThanOrEqual(8_193);
            if (Buffer.byteLength(JSON.stringify(fields)) > 20_000) expect(text).toContain('truncated');
            if (format === 'json') expect(JSON.parse(text)).toMatchObject({ msg: 'm' });
          },
        ),
        { numRuns: 30 },
      );
    },
  );

  test('survives cycles and hostile getters', async () => {
    const cycle: unknown[] = [];
    cycle.push(cycle);
    const hostile = {
      get boom(): string {
        throw new Error('no');
      },
    };
    const line = await written((log) => log.info('m', { cycle, hostile }));
    expect(line).toContain('cycle=[unreadable] hostile=[unreadable]');
  });
});

test('a closed pipe costs its lines and nothing else', async () => {
  const stream = new Writable({
    write: (_chunk, _encoding, done) => done(Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })),
  });
  const log = createLogger({
    level: 'info',
    format: 'logfmt',
    stream,
    clock: { now: () => 0 },
    redactor: createRedactor(() => []),
  });
  for (let count = 0; count < 3; count++) {
    log.info('lost');
    await new Promise((resolve) => setImmediate(resolve));
  }
  await log.close();
  log.info('after the end');
});
