import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseDay } from '../../src/catalog/day.ts';
import { dayAgeWords, durationWords, momentWords, readable } from '../../src/page/format.ts';
import { contentOf } from '../../src/page/page.ts';
import type { CollectorStatus, ServiceStatus } from '../../src/page/status.ts';
import { pagePolicy } from '../../src/page/style.ts';
import { collectorStatus, NOW, orgStatus, serviceStatus, textOfPage } from '../server/fixtures.ts';
import { propertyRuns } from '../support/thoroughness.ts';

const HOUR = 3_600_000;

/** The page of `/` without figures. */
function pageOf(status: ServiceStatus): string {
  const content = contentOf(status, {});
  if (content === undefined) throw new Error('there is no such page');
  return textOfPage(status, content);
}

/** The visible text: without tags and style, with entities decoded as far as the tests need. */
function textOf(page: string): string {
  return page
    .replace(/<style>.*?<\/style>/s, '')
    .replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ');
}

describe('the page', () => {
  test('says in one sentence that everything works', () => {
    expect(textOf(pageOf(serviceStatus()))).toContain(
      '✓ All collectors succeed 1 organization, 1 collector, 1,234 series served.',
    );
  });

  test('shows a collector in words', () => {
    expect(textOf(pageOf(serviceStatus()))).toMatch(
      /tokens Credits and tokens by model ✓ OK Thu 19 Nov yesterday 52 minutes ago 1\.2 s in 8 minutes 1,234/,
    );
  });

  test('says that the store cannot be used, where no collector has met that yet', () => {
    const told = 'The store cannot be used Published data stays; polling and hook events wait.';
    expect(textOf(pageOf(serviceStatus({ storeUp: false })))).toContain(told);
    expect(textOf(pageOf(serviceStatus({ storeUp: true })))).not.toContain('The store');
  });

  test('shows what fails, why, since when and what to do', () => {
    const failure = {
      reason: 'auth',
      message: '401 from the platform',
      hint: 'Make a new key.',
      since: NOW - 25 * HOUR,
    };
    const failing = collectorStatus({ state: 'failing', failure: { ...failure, reason: 'auth' } });
    const text = textOf(pageOf(serviceStatus({ orgs: [orgStatus({ collectors: [failing] })] })));
    expect(text).toContain('✕ 1 of 1 collector fails');
    expect(text).toContain('The platform rejects the API key , since 25 hours ago .');
    expect(text).toContain('401 from the platform What to do: Make a new key.');
  });

  test('says a cause once for the collectors that share it', () => {
    const failing = (name: string, message: string, hours: number) =>
      collectorStatus({
        name,
        state: 'failing',
        failure: { reason: 'server', message, hint: 'Wait.', since: NOW - hours * HOUR },
      });
    const collectors = [
      failing('tokens', 'GET /api/tokens answered 503: Down', 2),
      failing('wiki', 'GET /api/wiki answered 500: Odd', 1),
      failing('tools', 'GET /api/tools answered 503: Down', 3),
      failing('users', 'GET /api/users answered 503: Down', 1),
    ];
    const text = textOf(pageOf(serviceStatus({ orgs: [orgStatus({ collectors })] })));
    expect(text.match(/The platform reports a server error/g)).toHaveLength(2);
    expect(text).toMatch(
      /error , since 3 hours ago \. Collectors concerned: tokens, tools, users\. GET \/api\/tokens answered 503: Down/,
    );
    expect(text.match(/✕ Failing like tokens/g)).toHaveLength(2);
    expect(text).toContain('error , since 1 hour ago . GET /api/wiki answered 500: Odd');
  });

  test('says that last good data is served only if there is some', () => {
    const failure = { reason: 'server', message: '503', since: NOW } as const;
    const served = (series: number) =>
      textOf(
        pageOf(serviceStatus({ orgs: [orgStatus({ collectors: [collectorStatus({ failure, series })] })] })),
      );
    expect(served(0)).toContain('They have no data to serve.');
    expect(served(0)).not.toContain('good data');
    expect(served(7)).toContain('Their last good data is served');
  });

  test('folds the collectors while all succeed, and opens them while one fails or is new', () => {
    const opened = (changes: Partial<CollectorStatus>) =>
      /<details[^>]* open>/.test(
        pageOf(serviceStatus({ orgs: [orgStatus({ collectors: [collectorStatus(changes)] })] })),
      );
    const { lastSuccessAt: _, ...untried } = collectorStatus();
    expect(opened({})).toBe(false);
    expect(opened({ failure: { reason: 'server', message: '503', since: NOW } })).toBe(true);
    expect(
      pageOf(serviceStatus({ orgs: [orgStatus({ collectors: [{ ...untried, state: 'running' }] })] })),
    ).toMatch(/<details[^>]* open>/);
  });

  test('shows how much of the history has come', () => {
    const textWith = (uncoveredDays: number, awaitedDays?: number) =>
      textOf(
        pageOf(
          serviceStatus({
            orgs: [
              orgStatus({ collectors: [collectorStatus({ uncoveredDays, awaitedDays, historyDays: 315 })] }),
            ],
          }),
        ),
      );
    expect(textWith(303)).toContain('History: 12 of 315 days (tokens).');
    expect(textWith(0)).not.toContain('History');
    expect(textWith(3, 2)).toContain('History: 312 of 315 days (tokens).');
    expect(textWith(2, 2)).not.toContain('History');
  });

  test('names the revision of the build, if there is one', () => {
    expect(textOf(pageOf(serviceStatus({ revision: 'abc1234' })))).toContain('Version 1.2.3 (abc1234)');
    expect(textOf(pageOf(serviceStatus({ revision: 'unknown' })))).toContain('Version 1.2.3,');
  });

  test('keeps showing a failure while the collector tries again', () => {
    const failure = { reason: 'timeout', message: 'slow', since: NOW } as const;
    const retrying = collectorStatus({ state: 'running', failure });
    const text = textOf(pageOf(serviceStatus({ orgs: [orgStatus({ collectors: [retrying] })] })));
    expect(text).toContain('Failing, retrying');
  });

  test('says what it is waiting for at start-up', () => {
    const ready = { ready: false, waitingFor: Array.from({ length: 20 }, (_, index) => `thing ${index}`) };
    const text = textOf(pageOf(serviceStatus({ ready })));
    expect(text).toContain('Starting Not ready yet. Waiting for: thing 0');
    expect(text).toContain('and 8 more');
  });

  test('says when figures were withdrawn or days are missing', () => {
    const collectors = [collectorStatus({ published: false }), collectorStatus({ uncoveredDays: 3 })];
    const text = textOf(pageOf(serviceStatus({ orgs: [orgStatus({ collectors })] })));
    expect(text).toContain('Withdrawn the last good data is too old');
    expect(text).toContain('3 days not known yet');
  });

  test('names the fields that have changed in the answers', () => {
    const collectors = [
      collectorStatus({ unknownFields: ['by_repo'], missingFields: ['by_user', 'sessions'] }),
    ];
    const text = textOf(pageOf(serviceStatus({ orgs: [orgStatus({ collectors })] })));
    expect(text).toContain('Fields not read: by_repo; no longer sent: by_user, sessions.');
    expect(textOf(pageOf(serviceStatus({ orgs: [orgStatus({})] })))).not.toContain('not read');
  });

  test('does not say that collectors succeed where another replica runs them', () => {
    const text = textOf(pageOf(serviceStatus({ role: 'follower' })));
    expect(text).toContain('Another replica polls This one publishes what is stored: 1 organization');
    expect(text).not.toContain('succeed');
    expect(textOf(pageOf(serviceStatus({ role: 'leader' })))).toContain('All collectors succeed');
  });

  test('says that the data is simulated, and only then', () => {
    expect(pageOf(serviceStatus({ simulated: true }))).toContain('Simulated data.');
    expect(pageOf(serviceStatus())).not.toContain('Simulated data.');
  });

  test('shows many organizations as an index, with a page each', () => {
    const failure = { reason: 'server', message: 'down', since: NOW } as const;
    const orgs = Array.from({ length: 8 }, (_, index) =>
      orgStatus({
        name: `org${index}`,
        collectors: [index === 3 ? collectorStatus({ state: 'failing', failure }) : collectorStatus()],
      }),
    );
    const status = serviceStatus({ orgs });
    const page = pageOf(status);
    expect(page).not.toContain('<details');
    expect(page.match(/<th scope="row"/g)).toHaveLength(8);
    expect(page).toContain('<a href="?org=org3">org3</a>');
    expect(page).toContain('<a href="?org=org3#org-org3">org3 tokens</a>');
    const own = contentOf(status, { org: 'org3' });
    expect(own && textOfPage(status, own)).toMatch(/id="org-org3" open/);
    expect(contentOf(status, { org: 'org9' })).toBeUndefined();
  });

  test('is healthy without organizations', () => {
    expect(textOf(pageOf(serviceStatus({ orgs: [] })))).toContain('No organizations');
  });

  test('has headings, scoped table heads and machine-readable times', () => {
    const page = pageOf(serviceStatus());
    expect(page).toMatch(/^<!doctype html>\n<html lang="en">/);
    expect(page.match(/<h1>/g)).toHaveLength(1);
    expect(page.match(/<th scope="col"/g)).toHaveLength(7);
    expect(page.match(/<th scope="row"/g)).toHaveLength(1);
    expect(page).toContain('<time datetime="2026-11-20T10:20:05.000Z" title="2026-11-20 10:20:05 UTC">');
    expect(page).toContain('<meta http-equiv="refresh" content="30">');
  });

  test('has exactly the style that its policy allows', () => {
    const style = /<style>(.*?)<\/style>/s.exec(pageOf(serviceStatus()))?.[1] ?? '';
    expect(pagePolicy).toContain(`'sha256-${createHash('sha256').update(style).digest('base64')}'`);
    expect(pageOf(serviceStatus())).not.toMatch(/ style=|<script|https?:\/\//);
  });
});

describe('hostile text', () => {
  test('never becomes markup, whichever field contains it', () => {
    const hostile = fc.oneof(
      fc.constantFrom(
        '<script>alert(1)</script>',
        '"><img src=x onerror=1>',
        "' onload='x",
        '</style><b>',
        '&lt;',
        '`',
      ),
      fc.string({ unit: 'binary' }),
    );
    const harmless = tagsOf(pageWith('x'));
    fc.assert(
      fc.property(hostile, (text) => {
        expect(tagsOf(pageWith(text))).toEqual(harmless);
      }),
      { numRuns: propertyRuns(100) },
    );
  });

  function pageWith(text: string): string {
    const failure = { reason: 'server', message: text, hint: text, since: NOW } as const;
    const collectors = [collectorStatus({ name: text, description: text, state: 'failing', failure })];
    return pageOf(
      serviceStatus({
        version: text,
        revision: `r${text}`,
        ready: { ready: false, waitingFor: [text] },
        orgs: [orgStatus({ name: text, orgId: `o${text}`, apiHost: text, collectors })],
        links: [{ href: text, label: text, description: text }],
      }),
    );
  }

  /** Every tag with its attributes' names. */
  function tagsOf(page: string): string[] {
    return (page.match(/<[^>]*>/g) ?? []).map((tag) => tag.replace(/"[^"]*"/g, '""'));
  }
});

describe('words', () => {
  test.each([
    [0, '0 seconds'],
    [1_000, '1 second'],
    [59_400, '59 seconds'],
    [60_000, '1 minute'],
    [HOUR, '1 hour'],
    [36 * HOUR, '36 hours'],
    [72 * HOUR, '3 days'],
  ])('%i ms is %s', (length, words) => {
    expect(durationWords(length)).toBe(words);
  });

  test.each([
    [NOW, 'just now'],
    [NOW + 40, 'in a moment'],
    [NOW - 5_000, '5 seconds ago'],
    [NOW + 2 * HOUR, 'in 2 hours'],
  ])('%i is %s', (instant, words) => {
    expect(momentWords(instant, NOW)).toBe(words);
  });

  test.each([
    [0, '0'],
    [-3, '-3'],
    [99_999, '99,999'],
    [947_472, '947 k'],
    [89_312_345, '89.3 M'],
    [1.5e9, '1.5 B'],
    [2e15, '2000 T'],
  ])('%d is readable as %s', (value, words) => {
    expect(readable(value)).toBe(words);
  });

  test.each([
    ['2026-11-20', 'today'],
    ['2026-11-19', 'yesterday'],
    ['2026-11-17', '3 days old'],
  ])('%s is %s', (text, words) => {
    const day = parseDay(text);
    expect(day && dayAgeWords(day, NOW)).toBe(words);
  });
});
