import { inputSchemaOf, outputSchemaOf } from '../../pkg/mcp/tool-list.ts';
import { ALL_TOOLS } from '../../pkg/tools/registry.ts';
import { keepFile } from './keep-file.ts';
import { typeOf } from './schema-type.ts';

/**
 * Writes pkg/console/api/tools.gen.ts, what each tool takes and answers as the console's compiler reads it; `--check` fails when it is not
 * up to date. Types alone: not a byte of it reaches a browser.
 */
const lines = ALL_TOOLS.flatMap((tool) => [
  `  /** ${tool.title}. */`,
  `  ${tool.name}: { input: ${typeOf(inputSchemaOf(tool), 'input')}; output: ${typeOf(outputSchemaOf(tool), 'output')} };`,
]);
const head = '/** Generated from the declarations of the tools by `make generate`. */\nexport interface Tools {\n';
keepFile('pkg/console/api/tools.gen.ts', `${head}${lines.join('\n')}\n}\n`);
