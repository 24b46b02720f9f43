/** `fettle completion`: scripts for shells, made from the table of commands. */
import type { Command } from '../../command.ts'

export const completion = (commands: () => readonly Command[]): Command => ({
  usage: 'completion <shell>',
  summary: 'Print a completion script for a shell',
  positionals: [{ name: 'shell', choices: ['bash', 'zsh', 'fish'], isRequired: true, describe: 'Which shell' }],
  options: [],
  examples: [['fettle completion bash', 'a script that the shell loads']],
  load: async () => (await import('./completions.ts')).bodyFor(commands()),
})
