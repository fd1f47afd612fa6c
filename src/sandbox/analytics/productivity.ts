import { type Day, formatDay } from '../calendar.ts';
import { apportion } from '../random.ts';
import type { Row } from '../types.ts';
import type { Org } from '../world/org.ts';
import { type Weighted, weighted, weightsOn } from '../world/tool-names.ts';

/** The file extensions behind a language. */
const extensionsOf: Readonly<Record<string, Weighted<string>>> = {
  TypeScript: weighted({ '.ts': 62, '.tsx': 28, '.json': 6, '.md': 4 }),
  CSS: weighted({ '.css': 70, '.scss': 30 }),
  Python: weighted({ '.py': 90, '.toml': 3, '.md': 4, '.ipynb': 3 }),
  SQL: weighted({ '.sql': 100 }),
  Go: weighted({ '.go': 91, '.mod': 3, '.md': 6 }),
  Shell: weighted({ '.sh': 85, '.yml': 15 }),
  Java: weighted({ '.java': 88, '.xml': 12 }),
  Kotlin: weighted({ '.kt': 92, '.kts': 8 }),
  Rust: weighted({ '.rs': 94, '.toml': 6 }),
  'C#': weighted({ '.cs': 92, '.csproj': 8 }),
  Ruby: weighted({ '.rb': 90, '.erb': 10 }),
  Terraform: weighted({ '.tf': 88, '.tfvars': 12 }),
};

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
