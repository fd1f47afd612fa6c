import type { Row } from '../layout.ts';
import { tile } from '../panels/tile.ts';
import { now } from '../query.ts';
import { renamableLabels, renamedValues } from '../renamed-labels.ts';

/** Labels that Prometheus renamed. */
export const labels: Row = {
  title: 'Labels of targets',
  folded: true,
  panels: [
    tile({
      title: 'Values of renamed labels',
      text: 'Labels that a target has too: Prometheus keeps the value of the target, such as org, and moves the value of the exporter to exported_org. Sums, panels and alerts then merge what differs. Set honor_labels: true in the scrape configuration.',
      queries: renamableLabels.map((renamable) => {
        const text = `sum(${renamedValues(renamable, 'job=~"$job",org=~"$org",')})`;
        return now({ text, about: [renamable.family] }, renamable.label);
      }),
      noValue: 'None known',
      width: 24,
      height: 3,
    }),
  ],
};
