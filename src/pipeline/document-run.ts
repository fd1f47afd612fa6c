import type { DocumentCollector } from '../catalog/collector.ts';
import type { Run } from './runner.ts';

/** Fetches a listing of documents, keeps it whole or not at all, and publishes it. */
export async function runDocuments(run: Run, collector: DocumentCollector<unknown>): Promise<void> {
  const { org, deps } = run;
  const { dataset } = collector;
  try {
    const fetched = await collector.fetch(run.source);
    if (run.retired()) return;
    const documents = new Map(fetched.documents.map((document) => [dataset.idOf(document), document]));
    await deps.history.putDocuments(org.name, dataset.name, {
      documents,
      damaged: new Set(fetched.damaged?.map((document) => dataset.idOf(document))),
      complete: fetched.complete,
      orgId: fetched.orgId,
      at: deps.clock.now(),
    });
    run.note(fetched);
    await deps.publisher.publish(org, [collector.name]);
  } finally {
    run.tried();
  }
}
