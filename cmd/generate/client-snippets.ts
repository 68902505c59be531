import { readFileSync } from 'node:fs';
import { CLIENT_CONFIGS } from './client-configs.ts';
import { keepFile } from './keep-file.ts';

/** Writes the configuration of clients into the README; `--check` fails when it is not up to date. */
const FILE = new URL('../../README.md', import.meta.url).pathname;
const BEGIN = '<!-- clients: written by `make generate` -->';
const END = '<!-- end of clients -->';
/** Where `make run` serves by default. */
const URL_OF_RUN = 'http://127.0.0.1:7420/mcp';

const sections = CLIENT_CONFIGS.map(
  ({ client, where, language, text }) =>
    `<details><summary>${client}</summary>\n\n${where}:\n\n\`\`\`${language}\n${text(URL_OF_RUN)}\n\`\`\`\n\n</details>`,
);
const before = readFileSync(FILE, 'utf8');
const [head, rest] = before.split(BEGIN);
const tail = rest?.split(END)[1];
if (head === undefined || tail === undefined) throw new Error(`README.md has no place for clients: ${BEGIN} … ${END}`);
const after = `${head}${BEGIN}\n\n${sections.join('\n\n')}\n\n${END}${tail}`;
keepFile('README.md', after);
