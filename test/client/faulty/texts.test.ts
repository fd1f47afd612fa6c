import { expect, test } from 'vitest';
import { parseFaults } from '../../../src/sandbox/faults.ts';
import { createFaultyAsked } from './asking.ts';
import { damageKinds } from './kinds.ts';

test.each([
  ['cut-off=0.05', { name: 'cut-off', rate: 0.05, detail: '' }],
  ['bad-rows', { name: 'bad-rows', rate: 0.2, detail: '' }],
  ['clock-behind=3.5', { name: 'clock-behind', rate: 1, detail: '3.5' }],
  ['wiki-shape=bare', { name: 'wiki-shape', rate: 1, detail: 'bare' }],
  ['redirect-elsewhere=http://127.0.0.1:80', { detail: 'http://127.0.0.1:80' }],
])('%s is read', (text, fault) => {
  expect(parseFaults([text], damageKinds)).toMatchObject([fault]);
});

test.each([
  ['close=0.1:2', /^The fault "close" accepts only a rate\.$/],
  ['redirect=0.5', /^The fault "redirect" takes no value\.$/],
  ['clock-behind', /^The fault "clock-behind" needs a value: a number of hours\.$/],
  [
    'wiki-shape=round',
    /^The value of the fault "wiki-shape" must be wikiRuns, bare, data, runs, unknown, not "round"\.$/,
  ],
])('%s is refused in one sentence', (text, message) => {
  expect(() => parseFaults([text], damageKinds)).toThrow(message);
});

test('invalid faults leave the active ones unchanged, those of the platform included', async () => {
  const { sandbox, get } = createFaultyAsked({ faults: ['500@wiki', 'html@tokens'] });
  expect(() => sandbox.setFaults(['503', 'typo'])).toThrow(/Unknown fault "typo"/);
  expect((await get('/api/v0/wiki')).status).toBe(500);
  expect((await get('/api/v1/analytics/tokens')).status).toBe(400);
});
