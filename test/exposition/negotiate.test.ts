import { describe, expect, test } from 'vitest';
import { createNegotiation, negotiate } from '../../src/exposition/negotiate.ts';

const PROMETHEUS_2_42 =
  'application/openmetrics-text;version=1.0.0;q=0.75,application/openmetrics-text;version=0.0.1;q=0.5,text/plain;version=0.0.4;q=0.4,*/*;q=0.1';
const PROMETHEUS_3 =
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.6,application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5,application/openmetrics-text;version=0.0.1;q=0.4,text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3,text/plain;version=0.0.4;q=0.2,*/*;q=0.1';
const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

describe('the format', () => {
  test.each([
    [PROMETHEUS_2_42, 'openmetrics'],
    [PROMETHEUS_3, 'openmetrics'],
    [
      'application/openmetrics-text;version=1.0.0;q=0.5,text/plain;version=0.0.4;q=0.2,*/*;q=0.1',
      'openmetrics',
    ],
    ['application/openmetrics-text; version="1.0.0"; charset=utf-8', 'openmetrics'],
    ['Application/OpenMetrics-Text', 'openmetrics'],
    ['application/openmetrics-text;version=1.0.0;q=0.2,text/plain;q=0.5', 'text'],
    ['application/openmetrics-text;version=0.0.1,text/plain;version=0.0.4;q=0.5,*/*;q=0.1', 'text'],
    ['text/plain,application/openmetrics-text', 'text'],
    ['application/openmetrics-text;q=0', 'text'],
    ['application/json', 'text'],
    ['*/*', 'text'],
    ['text/*', 'text'],
    [BROWSER, 'text'],
    ['application/openmetrics-text;q=0.5,*/*', 'text'],
    ['application/openmetrics-text;q=0.5,text/*', 'text'],
    ['application/openmetrics-text;q=0.5,text/html', 'openmetrics'],
    ['application/openmetrics-text; version=0.0.1', 'text'],
    ['application/openmetrics-text;conversion=0.0.1', 'openmetrics'],
    // What is no weight from 0 to 1 counts as 1.
    ['application/openmetrics-text;q=2,text/plain;q=0.9', 'openmetrics'],
    ['application/openmetrics-text;q=-1,text/plain;q=0.9', 'openmetrics'],
    ['application/openmetrics-text;q=high,text/plain;q=0.9', 'openmetrics'],
    ['application/openmetrics-text;q=,text/plain;q=0.9', 'openmetrics'],
    ['application/openmetrics-text;q=1,text/plain;q=2', 'openmetrics'],
    ['application/openmetrics-text ;\tq="0.5" ; version = "1.0.0",text/plain ; q = 0.4', 'openmetrics'],
    ['application/openmetrics-text;freq=0.1,text/plain;q=0.5', 'openmetrics'],
    ['', 'text'],
    [';;q=,,', 'text'],
    [undefined, 'text'],
  ])('for %s is %s', (accept, format) => {
    expect(negotiate(accept, undefined).format).toBe(format);
  });
});

describe('compression', () => {
  test.each([
    ['gzip', true],
    ['gzip, deflate, br, zstd', true],
    ['GZIP;q=0.5', true],
    ['x-gzip', true],
    ['*', true],
    ['br;q=1, *;q=0.5', true],
    ['gzip;q=0.8, identity;q=0.5', true],
    ['gzip, identity', true],
    ['gzip;q=0.5, identity;q=0.5', true],
    ['gzip;freq=0', true],
    ['gzip;q=0', false],
    ['gzip; q=0', false],
    ['gzip ; q = 0', false],
    ['gzip;q=0.0, *', false],
    ['identity', false],
    ['identity;q=1, gzip;q=0.5', false],
    ['deflate', false],
    ['*;q=0', false],
    ['', false],
    [undefined, false],
  ])('for %s is %s', (acceptEncoding, gzip) => {
    expect(negotiate(undefined, acceptEncoding).gzip).toBe(gzip);
  });
});

test('a choice at hand is that of the present headers', () => {
  const choose = createNegotiation();
  const scraper = [PROMETHEUS_3, 'gzip'] as const;
  for (const given of [scraper, scraper, [PROMETHEUS_3], [], [BROWSER, 'gzip'], [BROWSER], scraper] as const)
    expect(choose(...given)).toEqual(negotiate(...given));
});
