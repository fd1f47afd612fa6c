import { type Weighted, weighted } from './tool-names.ts';

/** The file extensions behind a language. */
export const extensionsOf: Readonly<Record<string, Weighted<string>>> = {
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
