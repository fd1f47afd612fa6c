import type { Weighted } from './tool-names.ts';

/** The file extensions behind a language. */
export const extensionsOf: Readonly<Record<string, Weighted<string>>> = {
  TypeScript: [
    ['.ts', 62],
    ['.tsx', 28],
    ['.json', 6],
    ['.md', 4],
  ],
  CSS: [
    ['.css', 70],
    ['.scss', 30],
  ],
  Python: [
    ['.py', 90],
    ['.toml', 3],
    ['.md', 4],
    ['.ipynb', 3],
  ],
  SQL: [['.sql', 100]],
  Go: [
    ['.go', 91],
    ['.mod', 3],
    ['.md', 6],
  ],
  Shell: [
    ['.sh', 85],
    ['.yml', 15],
  ],
  Java: [
    ['.java', 88],
    ['.xml', 12],
  ],
  Kotlin: [
    ['.kt', 92],
    ['.kts', 8],
  ],
  Rust: [
    ['.rs', 94],
    ['.toml', 6],
  ],
  'C#': [
    ['.cs', 92],
    ['.csproj', 8],
  ],
  Ruby: [
    ['.rb', 90],
    ['.erb', 10],
  ],
  Terraform: [
    ['.tf', 88],
    ['.tfvars', 12],
  ],
};
