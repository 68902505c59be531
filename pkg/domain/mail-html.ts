import { withoutEntities } from '../base/html-entities.ts';

/** What the HTML of a mail may be made of: text, its shape and links. */
const TAGS: ReadonlySet<string> = new Set(
  `html body p br div span a b strong i em u s small sub sup ul ol li h1 h2 h3 h4 blockquote pre code hr
   table thead tbody tr td th center font`.split(/\s+/),
);
const ATTRIBUTES: ReadonlySet<string> = new Set(
  'href style align valign dir lang title width height border cellpadding cellspacing color face size'.split(' '),
);
const LINKS = /^(?:https?:\/\/|mailto:|tel:|\{\{unsubscribe_url\}\}$)/i;
/** A style that loads something, or hides what it says behind an escape. */
const LOADS = /url|expression|@|\\|&|behavior|-moz-binding/i;

const TAG = /<(\/?)([a-z][a-z0-9]*)/iy;
const ATTRIBUTE = /\s+([a-z-]+)(?:\s*=\s*(?:"([^"<>]*)"|'([^'<>]*)'|([^\s"'<>=`]+)))?/iy;
const END = /\s*\/?>/y;

/**
 * Why the HTML of a mail that somebody writes may not be sent as it is; null: it may. It holds text, its shape and links: pictures
 * and styles from elsewhere tell their server who reads when, so that there are none.
 */
export function mailHtmlProblem(html: string): string | null {
  for (let at = html.indexOf('<'); at >= 0; at = html.indexOf('<', at)) {
    const tag = matchAt(TAG, html, at);
    if (!tag) return `has a "<" that begins no tag, near "${shown(html, at)}": write &lt; for the sign`;
    const name = (tag[2] ?? '').toLowerCase();
    if (!TAGS.has(name))
      return `has <${name}>: a mail carries text and links, no pictures, files, styles from elsewhere or scripts`;
    at += tag[0].length;
    for (let given = matchAt(ATTRIBUTE, html, at); given; given = matchAt(ATTRIBUTE, html, at)) {
      const problem = attributeProblem((given[1] ?? '').toLowerCase(), given[2] ?? given[3] ?? given[4] ?? '');
      if (problem) return problem;
      at += given[0].length;
    }
    const end = matchAt(END, html, at);
    if (!end) return `has a <${name}> that does not end as a tag, near "${shown(html, at)}"`;
    at += end[0].length;
  }
  return null;
}

function attributeProblem(name: string, value: string): string | null {
  if (!ATTRIBUTES.has(name)) return `has the attribute "${name}", which mails do not need: leave it out`;
  if (name === 'style' && LOADS.test(value)) return 'has a style that loads something: leave it out';
  if (name !== 'href') return null;
  const target = withoutEntities(value).replace(/[\s\p{Cc}]/gu, '');
  return LINKS.test(target) ? null : 'has a link that is none of https, http, mailto and tel';
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | null {
  pattern.lastIndex = at;
  return pattern.exec(text);
}

function shown(html: string, at: number): string {
  return html.slice(at, at + 20).replace(/[\p{Cc}\p{Cs}]/gu, ' ');
}
