import { commandBlocks, PAGES } from '../tools/platform-docs.ts';

/** What came of a block of commands. */
export interface Ran {
  page: string;
  line: string;
  code: number;
  text: string;
}

/**
 * Runs what the pages for platform engineers mark for a running home: pages side by side, the lines of a page in order.
 * @param shell runs one line as a person would type it in the checkout
 */
export async function runCommandsOfPages(
  shell: (line: string) => Promise<{ code: number; text: string }>,
): Promise<Ran[]> {
  const pages = PAGES.map(async (page) => {
    const ran: Ran[] = [];
    for (const { marker, lines } of commandBlocks(page)) {
      if (marker !== 'run: home') continue;
      // That npx finds the program is the README's test; its start costs a second each time.
      for (const line of lines)
        ran.push({ page, line, ...(await shell(line.replace(/^npx outrider/, 'node cmd/outrider/main.ts'))) });
    }
    return ran;
  });
  return (await Promise.all(pages)).flat();
}
