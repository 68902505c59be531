/** A page for people: it runs nothing, loads nothing, and no search engine keeps it. @param content HTML */
export function peoplePage(title: string, content: string): string {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="robots" content="noindex"><title>${title}</title><h1>${title}</h1>${content}</html>`;
}
