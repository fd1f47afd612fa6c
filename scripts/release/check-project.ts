// Ends with 1 and a sentence while a public name of project.json is a placeholder: nothing may be published under it.
import { placeholders, project } from '../project/project.ts';

const open = placeholders(project);
if (open.length > 0) {
  console.error(
    `project.json: ${open.join(', ')} ${open.length === 1 ? 'is' : 'are'} still a placeholder, so nothing can be released\n` +
      '  put the public addresses there, run `npm run generate` and commit what changed',
  );
  process.exitCode = 1;
} else {
  console.log(`released as ${project.image}, ${project.package} and ${project.charts}`);
}
