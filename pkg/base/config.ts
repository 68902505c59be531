import type { z } from 'zod';
import { UserError } from './errors.ts';

/**
 * Parses the environment (or any record) with a schema.
 * @throws UserError naming every variable that is missing or wrong, without its value
 */
export function parseEnv<T extends z.ZodType>(schema: T, env: Record<string, string | undefined>): z.infer<T> {
  const parsed = schema.safeParse(env);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'environment'}: ${issue.message}`);
  throw new UserError(`Settings are wrong: ${lines.join('; ')}`, 'InvalidSettings');
}
