import {
  type DayCollector,
  type DocumentCollector,
  type FetchedDays,
  type FetchedDocuments,
  type Reader,
  readerFor,
  type Window,
} from '../../src/catalog/collector.ts';
import type { Platform } from '../../src/catalog/platform.ts';
import type { OrgSettings } from '../../src/catalog/settings.ts';
import type { Source } from '../../src/catalog/source.ts';
import { agentPlatform } from '../../src/platforms/agent-platform/platform.ts';

/** The days of a window as the platform's own reader reads them. */
export async function fetchDays<Row>(
  { dataset }: DayCollector<Row>,
  source: Source,
  window: Window,
  settings?: OrgSettings,
): Promise<FetchedDays<Row>> {
  const reader = await readerFor(agentPlatform, dataset, 'fetchDays');
  return reader.fetchDays(source, window, settings);
}

/** All documents as the platform's own reader reads them. */
export async function fetchDocuments<Document>(
  { dataset }: DocumentCollector<Document>,
  source: Source,
): Promise<FetchedDocuments<Document>> {
  const reader = await readerFor(agentPlatform, dataset, 'fetchDocuments');
  return reader.fetchDocuments(source);
}

/** A platform that reads every dataset in one way. */
export function platformReading(reader: Reader): Pick<Platform, 'readers'> {
  const read = async () => reader;
  return { readers: { tokens: read, tools: read, users: read, readiness: read } };
}
