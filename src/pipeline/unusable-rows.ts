import type { AnswerNotes, Watched, Watcher } from './run.ts';

/** Counts the unusable records and fields of a run's answers, and logs them when they differ from those of the run before. */
export function watchUnusable({ org: { name: org }, collector, deps }: Watched): Watcher {
  const { log, runs, instruments } = deps;
  const dataset = collector.dataset.name;
  let rejected = 0;
  const remarks = new Set<string>();

  function noted(notes: AnswerNotes): void {
    rejected += notes.rejected;
    for (const remark of notes.remarks) remarks.add(remark);
  }

  return {
    noted,
    stored(fetched, { missing }) {
      noted(fetched);
      // The store keeps the fields that a valid answer lacks; the answer counts as partly usable.
      if (missing > 0) noted({ rejected: missing, remarks: ['fields that were known are missing'] });
    },
    ended() {
      if (rejected > 0) instruments.recordsRejected({ org, dataset, count: rejected });
      const counted = rejected > 0 ? [`${rejected} unusable records or fields were rejected`] : [];
      const text = [...counted, ...remarks].join('; ');
      if (text === runs.get(org, collector.name).lastNote) return;
      runs.update(org, collector.name, { lastNote: text });
      if (text !== '') log.warn('Response only partly usable', { org, dataset, detail: text });
    },
  };
}
