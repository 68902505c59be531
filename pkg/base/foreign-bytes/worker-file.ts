/**
 * Where a worker's program lies: beside the source that starts it, under its own name; in the image, where each program is one
 * file, beside that (cmd/image/bundle.ts).
 * @param from `import.meta.url` of who starts it
 */
export function workerFile(name: string, from: string): URL {
  return new URL(`./${name}${from.endsWith('.ts') ? '.ts' : '.mjs'}`, from);
}
