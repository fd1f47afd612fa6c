import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultKinds, parseFaults } from '../../src/sandbox/index.ts';
import { createAsked } from './asking.ts';

describe('fault texts', () => {
  test.each([
    ['429', { name: '429', rate: 1, detail: '1' }],
    ['429=0.1:date', { name: '429', rate: 0.1, detail: 'date' }],
    ['slow=0.1:2000', { name: 'slow', rate: 0.1, detail: '2000' }],
    ['cut-off=0.05', { name: 'cut-off', rate: 0.05, detail: '' }],
    ['bad-rows', { name: 'bad-rows', rate: 0.2, detail: '' }],
    ['clock-behind=3.5', { name: 'clock-behind', rate: 1, detail: '3.5' }],
    ['wiki-shape=bare', { name: 'wiki-shape', rate: 1, detail: 'bare' }],
    ['redirect-elsewhere=http://127.0.0.1:80', { detail: 'http://127.0.0.1:80' }],
    ['500=0.5@tokens@org=acme', { rate: 0.5, detail: '500', endpoint: 'tokens', org: 'acme' }],
    ['redirect@org=globex', { endpoint: undefined, org: 'globex' }],
  ])('%s is read', (text, fault) => {
    expect(parseFaults([text])).toMatchObject([fault]);
  });

  test.each([
    ['nonsense', /^Unknown fault "nonsense": the faults are 401, 403, .*\.$/],
    ['', /^Unknown fault ""/],
    ['constructor', /^Unknown fault "constructor"/],
    ['429=2', /^The rate of the fault "429" must be a number from 0 to 1, not "2"\.$/],
    ['500=', /^The rate of the fault "500"/],
    ['500=often', /^The rate of the fault "500"/],
    ['429=0.1:soon', /^The value of the fault "429" must be "date" or a number of seconds, not "soon"\.$/],
    ['close=0.1:2', /^The fault "close" accepts only a rate\.$/],
    ['redirect=0.5', /^The fault "redirect" takes no value\.$/],
    ['clock-behind', /^The fault "clock-behind" needs a value: a number of hours\.$/],
    [
      'wiki-shape=round',
      /^The value of the fault "wiki-shape" must be wikiRuns, bare, data, runs, unknown, not "round"\.$/,
    ],
    ['500@cost', /^"@cost" in the fault "500@cost" is neither an endpoint \(.*\) nor "@org=NAME"\.$/],
    ['500@org=', /^"@org=" in the fault/],
  ])('%j is refused in one sentence', (text, message) => {
    expect(() => parseFaults([text])).toThrow(message);
  });

  test('are parsed or rejected with a sentence, whatever they are', () => {
    const names = fc.constantFrom(...faultKinds.map((kind) => kind.name));
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
    expect(() => sandbox.setFaults(['503'])).toThrow(/Unknown fault/);
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
