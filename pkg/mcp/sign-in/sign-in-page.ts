import { createHash } from 'node:crypto';
import type { FaceContext } from '../../base/http/http-app.ts';

const STYLE = `
:root{color-scheme:light dark;font:16px/1.5 system-ui,sans-serif}
body{margin:0 auto;padding:1.5rem 1rem 3rem;max-width:42rem}
h1{font-size:1.4rem}
fieldset{border:1px solid #8888;border-radius:.5rem;margin:1rem 0;padding:.5rem 1rem}
fieldset.many{max-height:16rem;overflow:auto}
legend{font-weight:600;padding:0 .3rem}
label{display:inline-block;padding:.2rem .8rem .2rem 0}
table{border-collapse:collapse;width:100%}
th{font-weight:normal;text-align:left}
td,th{border-top:1px solid #8884;padding:.1rem 0}
.place{border-left:.3rem solid #c60;padding-left:.8rem;overflow-wrap:anywhere}
.wrong{border-left:.3rem solid #c00;padding-left:.8rem}
button{border-radius:.4rem;border:1px solid #888;font:inherit;margin-right:.6rem;min-height:2.75rem;padding:.3rem 1.4rem}
button.yes{background:#1a56c4;border-color:#1a56c4;color:#fff}
:focus-visible{outline:3px solid #e80;outline-offset:2px}
`;
const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** A page of the sign-in, for people: it runs no script and loads nothing. */
export interface SignInPage {
  status: number;
  title: string;
  /** HTML. */
  content: string;
  /** Where its form may lead besides this server, as a source of CSP. */
  formTarget?: string | undefined;
}

/** Answers a page that no other site can frame, read along or keep. */
export function answerPage(ctx: FaceContext, { status, title, content, formTarget }: SignInPage): void {
  ctx.status = status;
  ctx.set({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': policyOf(formTarget),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    // Without any a browser would hide the Origin of its form.
    'referrer-policy': 'same-origin',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'x-robots-tag': 'noindex',
  });
  ctx.body = `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title}</title><style>${STYLE}</style><main><h1>${title}</h1>${content}</main></html>`;
}

function policyOf(formTarget: string | undefined): string {
  const forms = formTarget === undefined ? "'self'" : `'self' ${formTarget}`;
  return [
    "default-src 'none'",
    `style-src 'sha256-${STYLE_HASH}'`,
    `form-action ${forms}`,
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; ');
}
