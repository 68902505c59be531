import { withoutEntities } from '../../base/html-entities.ts';

/** Where a quote of HTML begins and ends; no mail has these signs. */
const [OPENS, CLOSES] = ['\ue000', '\ue001'];

/** Enough of an HTML text to classify it: a line for each paragraph, those of a quote marked as in plain text (`> `). */
export function textOfHtml(html: string): string {
  const shown = withQuotes(withoutScripts(html.replace(/[\ue000\ue001]/g, ' ')));
  // A line of the source ends no line of the text, unless it says so.
  const running = /<pre[\s>]/i.test(shown) ? shown : shown.replace(/\s+/g, ' ');
  const spoken = withoutTags(running.replace(/<br\s*\/?>|<\/(p|div|li|tr)>/gi, '\n'));
  return markedLines(withoutEntities(spoken).replace(/[ \t]+/g, ' ')).trim();
}

/** With a line of its own for each end of a quote. */
function withQuotes(html: string): string {
  const end = html.lastIndexOf('>') + 1;
  const within = html
    .slice(0, end)
    .replace(/<blockquote(?:\s[^>]*)?>/gi, `<br>${OPENS}<br>`)
    .replace(/<\/blockquote\s*>/gi, `<br>${CLOSES}<br>`);
  return within + html.slice(end);
}

/** With a mark before each line of a quote, however deep that is; one that nothing ends goes on to the end of the mail. */
function markedLines(text: string): string {
  if (!text.includes(OPENS)) return text.replaceAll(CLOSES, '');
  let depth = 0;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const said = line.trim();
    if (said === OPENS) depth++;
    else if (said === CLOSES) depth = Math.max(0, depth - 1);
    else lines.push(depth > 0 ? `> ${said}` : line);
  }
  return lines.join('\n');
}

// Anyone who may write to a mailbox chooses this text, and what reads it reads the mails of all tenants: a pattern that looks for an
// end that never comes, from each of half a million beginnings, takes minutes. Each of these looks for an end once.

/** Without scripts and styles; what none ends stays. */
function withoutScripts(html: string): string {
  const begins = /<(style|script)/gi;
  const endless = new Set<string>();
  let text = '';
  let from = 0;
  for (let found = begins.exec(html); found; found = begins.exec(html)) {
    const name = (found[1] ?? '').toLowerCase();
    if (endless.has(name)) continue;
    const ends = new RegExp(`</${name}>`, 'gi');
    ends.lastIndex = begins.lastIndex;
    if (!ends.test(html)) {
      endless.add(name);
      continue;
    }
    text += `${html.slice(from, found.index)} `;
    from = ends.lastIndex;
    begins.lastIndex = from;
  }
  return text + html.slice(from);
}

/** Without tags; what none ends stays. */
function withoutTags(html: string): string {
  const end = html.lastIndexOf('>') + 1;
  return html.slice(0, end).replace(/<[^>]*>/g, ' ') + html.slice(end);
}
