import { describe, expect, test } from 'vitest';
import { describeStore } from '../../store/contract.ts';
import { answer, contentOf, listing } from '../../store/files.ts';
import { dayNamed } from '../../support/day.ts';
import { waitFor } from '../../support/wait-for.ts';
import { usePostgres } from './server.ts';
import { openOpened, openProcess } from './shared.ts';

const server = usePostgres();
const monday = dayNamed('2026-03-02');
const tuesday = dayNamed('2026-03-03');

describeStore('a PostgreSQL database', async () => openOpened(await server.database()));

describe('a history that several processes share', () => {
  test('is the same after it was closed and opened again', async () => {
    const url = await server.database();
    const first = await openOpened(url);
    await first.putDays(
      'acme',
      'tokens',
      answer([monday, tuesday], { [monday]: { credits: 1 } }, 5, 'org_1'),
    );
    await first.putDocuments('acme', 'readiness', listing({ a: { id: 'a' }, b: { id: 'b' } }));
    await first.putRevisedOn('acme', 'tokens', tuesday);
    const before = await contentOf(first);
    await first.close();
    const again = await openOpened(url);
    expect(await contentOf(again)).toEqual(before);
    expect(again.database.storeId).toBe(first.database.storeId);
  });

  test('shows each process what the others have stored, deleted and moved', async () => {
    const url = await server.database();
    const [one, other] = [await openOpened(url), await openOpened(url)];
    const before = await other.revisions();
    await one.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: { n: 1 } }, 1, 'org_1'));
    await one.putDocuments('acme', 'readiness', listing({ a: 'a', b: 'b' }));
    await one.putDocuments('acme', 'readiness', listing({ b: 'b' }));
    expect(await contentOf(other)).toEqual(await contentOf(one));
    const after = await other.revisions();
    expect([before.get('acme'), after.get('acme')]).toEqual([undefined, expect.stringContaining('org_1')]);
    await one.adopt('acme', 'org_2');
    expect(await contentOf(other)).toEqual(await contentOf(one));
    expect((await other.read('acme')).days('tokens').size).toBe(0);
    expect((await other.revisions()).get('acme')).not.toBe(after.get('acme'));
  });

  test('merges an answer with what another process has stored since', async () => {
    const url = await server.database();
    const [one, other] = [await openOpened(url), await openOpened(url)];
    await one.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }));
    const stored = await other.putDays('acme', 'tokens', answer([monday, tuesday], { [monday]: { n: 2 } }));
    expect(stored.revisions).toEqual([{ day: monday, before: { n: 1 }, after: { n: 2 } }]);
    await Promise.all(
      [one, other].flatMap((history, index) =>
        Array.from({ length: 10 }, (_, at) =>
          history.putDocuments('acme', 'wiki', listing({ [`${index}-${at}`]: at }, false)),
        ),
      ),
    );
    expect((await one.read('acme')).documents('wiki')).toHaveLength(20);
  });

  test('is created once, whoever comes first, and nobody fails', async () => {
    const url = await server.database();
    const histories = await Promise.all(Array.from({ length: 6 }, () => openOpened(url)));
    expect(new Set(histories.map((history) => history.database.storeId)).size).toBe(1);
    expect(histories.flatMap(({ log }) => log.events)).toEqual([]);
  });

  test('refetches a row with another schema version, and one that was altered', async () => {
    const url = await server.database();
    const first = await openOpened(url);
    await first.putDays(
      'acme',
      'tokens',
      answer([monday, tuesday], { [monday]: { n: 1 }, [tuesday]: { n: 2 } }),
    );
    await server.query(url, `UPDATE agent_platform.day SET data = '{"n": 3}' WHERE day = '2026-03-02'`);
    await first.close();
    const again = await openOpened(url);
    expect([...(await again.read('acme')).days('tokens').keys()]).toEqual([tuesday]);
    expect(again.log.events.map(({ level }) => level)).toEqual(['warn']);
    const dataset = { kind: 'days', name: 'tokens', idle: {}, schemaVersion: 2 } as const;
    const newer = await openOpened(url, { datasets: [dataset] });
    expect((await newer.read('acme')).days('tokens').size).toBe(0);
    await newer.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 4 } }));
    const { days } = await newer.read('acme');
    expect([...days('tokens').keys()]).toEqual([monday]);
    expect(days('tokens').get(monday)).toEqual({ n: 4 });
  });
});

describe('privileges', () => {
  test('to change the schema are needed once, those to read and write rows afterwards', async () => {
    const url = await server.database();
    await (await openOpened(url)).close();
    await server.query(
      url,
      `CREATE ROLE least LOGIN; GRANT USAGE ON SCHEMA agent_platform TO least;
       GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA agent_platform TO least`,
    );
    const history = await openOpened(server.urlFor(url, 'least', ''));
    await history.putDays('acme', 'tokens', answer([monday], { [monday]: { n: 1 } }, 1, 'org_1'));
    await history.putDocuments('acme', 'wiki', listing({ a: 'a' }));
    await history.putDocuments('acme', 'wiki', listing({}));
    await history.adopt('acme', 'org_2');
    await history.putRequests('acme', { day: monday, requests: 1 });
    await history.sweep({ days: 1, now: Date.UTC(2026, 2, 10), orgs: ['acme'] });
    expect((await history.read('acme')).orgId).toBe('org_2');
  });

  test('that are missing are reported once, with what to do', async () => {
    const url = await server.database();
    await server.query(url, 'CREATE ROLE nobody LOGIN');
    const history = openProcess(server.urlFor(url, 'nobody', ''));
    await waitFor(() => expect(history.database.trouble()?.reason).toBe('privileges'));
    expect(history.log.events.filter(({ level }) => level === 'error')).toHaveLength(1);
  });
});
