import { describe, expect, test } from 'vitest';
import { isNotYet } from '../../src/platforms/claude/advice.ts';
import { claude } from '../../src/platforms/claude/platform.ts';

describe('a refusal', () => {
  test.each([
    [400, 'This date is not available yet; the most recent day is 2026-11-18.', '2026-11-18'],
    [400, 'Data is available through 2026-11-18', '2026-11-18'],
    [400, '2026-11-19 is not available; the latest is 2026-11-18.', '2026-11-18'],
    [400, 'date must not be in the future', true],
    [400, 'The day is not yet ready.', true],
    [400, 'latest: 2026-11-18', '2026-11-18'],
    [400, 'page: cursor does not match current query parameters', false],
    [400, 'This endpoint is not available to organizations with HIPAA readiness.', false],
    [400, 'The beta analytics-usage-cost-2026-08-24 is not available', false],
    [404, 'The day is not yet ready.', false],
    [500, 'The most recent day is 2026-11-18.', false],
  ])('with %i: %s says that the day is not there yet, and which one is: %s', (status, message, expected) => {
    expect(
      isNotYet({ status, message: `GET /v1/organizations/analytics/users answered ${status}: ${message}` }),
    ).toBe(expected);
  });

  test('of usage and cost has its sentence, and no other endpoint has it', () => {
    const said = 'The beta is not enabled for the organization.';
    expect(claude.advice?.(400, said, 'tokens')).toContain('not enrolled yet, or is set up for HIPAA');
    expect(claude.advice?.(400, said, 'activity')).toBeUndefined();
    expect(claude.advice?.(404, 'Not Found', 'tokens')).toContain('not enrolled yet');
    expect(claude.advice?.(404, 'Not Found', 'activity')).toContain('check that kind is console');
    expect(claude.advice?.(500, 'The simulated platform fails.', 'tokens')).toBeUndefined();
    expect(claude.advice?.(400, 'ending_at: must be after starting_at', 'tokens')).toBeUndefined();
  });
});

test('only usage and cost are asked for with the beta, and the key is in no other header', () => {
  const headers = (path: string) => claude.headers('sk-ant-admin01-x', `/v1/organizations/${path}`);
  const common = {
    Accept: 'application/json',
    'anthropic-version': '2023-06-01',
    'x-api-key': 'sk-ant-admin01-x',
  };
  const beta = { 'anthropic-beta': 'analytics-usage-cost-2026-08-24' };
  for (const path of ['analytics/usage', 'analytics/cost'])
    expect(headers(path)).toEqual({ ...common, ...beta });
  for (const path of ['usage_report/claude_code', 'analytics/users', 'analytics/summaries', 'cost'])
    expect(headers(path)).toEqual(common);
});
