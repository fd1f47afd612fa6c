import { request as httpRequest } from 'node:http';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { faultKinds, parseFaults } from '../../src/sandbox/faults.ts';
import { waitFor } from '../support/wait-for.ts';
import { createAsked, noon, oneDay, ownerKey, readinessPath, yesterday } from './asking.ts';

const hour = 3_600_000;

describe('fault texts', () => {
  test.each([
    ['429', { name: '429', rate: 1, detail: '1' }],
    ['429=0.1:date', { name: '429', rate: 0.1, detail: 'date' }],
    ['503=0.1', { name: '503', rate: 0.1, detail: '' }],
    ['late', { name: 'late', rate: 1, detail: '1' }],
    ['late=3', { name: 'late', rate: 1, detail: '3' }],
    ['slow=0.1:2000', { name: 'slow', rate: 0.1, detail: '2000' }],
    ['500=0.5@tokens@org=acme', { rate: 0.5, detail: '', endpoint: 'tokens', org: 'acme' }],
    ['hang@org=globex', { endpoint: undefined, org: 'globex' }],
  ])('%s is read', (text, fault) => {
    expect(parseFaults([text])).toMatchObject([fault]);
  });

  test.each([
    ['nonsense', /^Unknown fault "nonsense": the faults are STATUS, 429, .*\.$/],
    ['', /^Unknown fault ""/],
    ['constructor', /^Unknown fault "constructor"/],
    ['429=2', /^The rate of the fault "429" must be a number from 0 to 1, not "2"\.$/],
    ['500=', /^The rate of the fault "500"/],
    ['500=often', /^The rate of the fault "500"/],
    ['429=0.1:soon', /^The value of the fault "429" must be "date" or a number of seconds, not "soon"\.$/],
    ['200', /^Unknown fault "200"/],
    ['STATUS', /^Unknown fault "STATUS"/],
    ['503=0.1:', /^The value of the fault "503" must be "date" or a number of seconds, not ""\.$/],
    ['500=0.1:503', /^The fault "500" accepts only a rate\.$/],
    ['revised-days=1', /^The fault "revised-days" takes no value\.$/],
    ['late=long', /^The value of the fault "late" must be a number of days, not "long"\.$/],
    ['500@cost', /^"@cost" in the fault "500@cost" is neither an endpoint \(.*\) nor "@org=NAME"\.$/],
    ['500@org=', /^"@org=" in the fault/],
  ])('%j is refused in one sentence', (text, message) => {
    expect(() => parseFaults([text])).toThrow(message);
  });

  test('are parsed or rejected with a sentence, whatever they are', () => {
    const names = fc.constantFrom('500', ...faultKinds.map((kind) => kind.name));
    const text = fc.tuple(names, fc.string()).map(([name, rest]) => name + rest);
    fc.assert(
      fc.property(text, (given) => {
        try {
          const [fault] = parseFaults([given]);
          expect(fault?.rate).toBeGreaterThanOrEqual(0);
          expect(fault?.rate).toBeLessThanOrEqual(1);
        } catch (error) {
          expect(String(error)).toMatch(/^Error: .+\.$/s);
        }
      }),
    );
  });

  test('are each explained in one line', () => {
    for (const { meaning } of faultKinds) expect(meaning).toMatch(/^[^\n]{10,120}$/);
  });

  test('that are invalid leave the active faults unchanged', async () => {
    const { sandbox, get } = createAsked({ faults: ['500'] });
    expect(() => sandbox.setFaults(['typo'])).toThrow(/Unknown fault/);
    expect((await get('/api/v0/wiki')).status).toBe(500);
    sandbox.setFaults([]);
    expect((await get('/api/v0/wiki')).status).toBe(200);
  });

  test('that are invalid prevent a sandbox from being created', () => {
    expect(() => createAsked({ faults: ['typo'] })).toThrow(/Unknown fault "typo"/);
  });
});

describe('the place of a fault', () => {
  test('is one endpoint, one organization, or both', async () => {
    const { get, analytics, sandbox } = createAsked({
      orgs: 2,
      faults: ['500=1@tokens@org=acme', '403@org=globex'],
    });
    expect((await analytics('tokens')).status).toBe(500);
    expect((await analytics('tools')).status).toBe(200);
    const globex = sandbox.orgs[1]?.keys.owner ?? '';
    expect((await get('/api/v0/wiki', {}, globex)).status).toBe(403);
  });
});

describe('the rate of a fault', () => {
  test('is about the share of requests that fail, the same ones with the same seed', async () => {
    const statuses = async (seed: number): Promise<number[]> => {
      const { get } = createAsked({ seed, faults: ['429=0.3'] });
      const all: number[] = [];
      for (let count = 0; count < 100; count += 1) all.push((await get('/api/v0/wiki')).status);
      return all;
    };
    const first = await statuses(1);
    expect(first.filter((status) => status === 429).length).toBeGreaterThan(15);
    expect(first.filter((status) => status === 429).length).toBeLessThan(45);
    expect(await statuses(1)).toEqual(first);
    expect(await statuses(2)).not.toEqual(first);
  });
});

describe('what a fault does', () => {
  test.each([
    ['401', 401],
    ['403', 403],
    ['429', 429],
    ['500', 500],
    ['503', 503],
    ['404', 404],
  ])('%s answers %i in the body that the endpoint has for errors', async (fault, status) => {
    const { analytics, get } = createAsked({ faults: [fault] });
    const answer = await analytics('tokens');
    expect([answer.status, answer.body.status]).toEqual([status, status]);
    expect(Object.keys(answer.body).sort()).toEqual(['detail', 'requestId', 'status', 'title']);
    expect((await get(readinessPath)).body).toEqual({ error: { message: expect.any(String) } });
  });

  test.each([
    ['429', '1'],
    ['429=1:30', '30'],
    ['429=1:date', new Date(noon + 2000).toUTCString()],
  ])('%s says Retry-After: %s', async (fault, header) => {
    const { headers } = await createAsked({ faults: [fault] }).analytics('tokens');
    expect(headers['retry-after']).toBe(header);
  });

  test.each([
    ['503', undefined],
    ['503=1:30', '30'],
    ['503=1:date', new Date(noon + 2000).toUTCString()],
  ])('%s answers 503 and says Retry-After: %s, by its own Date', async (fault, header) => {
    const { status, headers } = await createAsked({ faults: [fault] }).analytics('tokens');
    expect(status).toBe(503);
    expect(headers['retry-after']).toBe(header);
    expect(headers['date']).toBe(new Date(noon).toUTCString());
  });

  test('slow answers late, but correctly', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const { analytics } = createAsked({ faults: ['slow=1:60000'] });
    const answer = analytics('tokens');
    await waitFor(() => vi.getTimerCount() > 0, { what: 'the platform holds its answer back' });
    vi.advanceTimersByTime(59_999);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(1);
    expect((await answer).body).toHaveProperty('data');
  });

  test.each(['slow=1:600000', 'hang'])(
    '%s: closing the sandbox aborts what is in progress',
    async (fault) => {
      const { sandbox } = createAsked({ faults: [fault] });
      const { url } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
      const failed = new Promise<string | undefined>((resolve) => {
        const path = `/api/v1/analytics/tokens?startDate=${oneDay.startDate}&endDate=${oneDay.endDate}`;
        const sent = httpRequest(url + path, { headers: { authorization: `Bearer ${ownerKey}` } });
        sent.on('error', (error: NodeJS.ErrnoException) => resolve(error.code));
        sent.on('socket', (socket) => socket.on('connect', () => sent.end(() => void sandbox.close())));
      });
      expect(await failed).toBe('ECONNRESET');
    },
  );

  test('late: no rows for yesterday, and no error', async () => {
    const { rows, sandbox } = createAsked({ faults: ['late'] });
    expect(await rows('tokens', '2026-11-18', yesterday)).toMatchObject([{ date: '2026-11-18' }]);
    expect(await rows('users', yesterday, yesterday)).toEqual([]);
    sandbox.setFaults([]);
    expect(await rows('tokens', yesterday, yesterday)).toHaveLength(1);
  });

  test('late: no rows for this many of the newest days, in the named datasets', async () => {
    const { rows } = createAsked({ faults: ['late=2@tokens'] });
    expect(await rows('tokens', '2026-11-17', yesterday)).toMatchObject([{ date: '2026-11-17' }]);
    expect(await rows('activity', '2026-11-17', yesterday)).toHaveLength(3);
  });

  test('revised-days: figures grow from hour to hour for a week, then stay', async () => {
    const { clock, rows } = createAsked({ faults: ['revised-days'] });
    const credits = async (): Promise<number> =>
      Number((await rows('tokens', yesterday, yesterday))[0]?.['billable_tokens']);
    const first = await credits();
    expect(await credits()).toBe(first);
    clock.now += hour;
    const second = await credits();
    expect(second).not.toBe(first);
    clock.now = Date.UTC(2026, 10, 27);
    const last = await credits();
    expect(last).toBeGreaterThan(second);
    clock.now += 100 * hour;
    expect(await credits()).toBe(last);
    const settled = await createAsked().rows('tokens', yesterday, yesterday);
    expect(settled).toMatchObject([{ billable_tokens: last }]);
  });
});

test('a taken port is an error', async () => {
  const { sandbox } = createAsked();
  const { port } = await sandbox.listen({ host: '127.0.0.1', port: 0 });
  onTestFinished(() => sandbox.close());
  await expect(sandbox.listen({ host: '127.0.0.1', port })).rejects.toThrow(/EADDRINUSE/);
});
