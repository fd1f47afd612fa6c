import { type Day, formatDay } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import { extensionsOf } from '../world/file-types.ts';
import type { Org } from '../world/org.ts';
import { weightsOn } from '../world/tool-names.ts';

/** A day record of `/productivity`; both breakdowns sum to files created and edited. */
export function productivityRow(org: Org, day: Day): Row {
  const { sum, byLanguage } = org.totals(day);
  const { seed } = org.conditions(day);
  const byExtension = new Map<string, number>();
  for (const [language, files] of byLanguage) {
    const extensions = extensionsOf[language] ?? [];
    const parts = apportion(files, weightsOn(extensions, seed));
    extensions.forEach(([extension], index) => {
      byExtension.set(extension, (byExtension.get(extension) ?? 0) + (parts[index] ?? 0));
    });
  }
  return {
    date: formatDay(day),
    files_created: sum.filesCreated,
    files_edited: sum.filesEdited,
    by_extension: descending(byExtension).map(([extension, count]) => ({ extension, count })),
    by_language: descending(byLanguage).map(([language, count]) => ({ language, count })),
    git_commits: sum.commits,
    git_prs_created: sum.pullRequests,
  };
}

function descending(counts: ReadonlyMap<string, number>): [name: string, count: number][] {
  return [...counts].filter(([, count]) => count > 0).sort(([, one], [, other]) => other - one);
}
