/** Problems of a test file that its text does not show: files that are not there, and headers that the pipeline does not map. */
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { nearest, type PipelineInput, type TestFile, type TestProblem } from '../../pipeline/index.ts'
import { keyOf, mappedHeaders } from './test-pipeline.ts'

/** Whether a register is a CSV file, and not the name of an imported one. */
export const isRegisterFile = (register: TestFile['register']): register is string =>
  typeof register === 'string' && /\.csv(?:\.gz)?$|[\\/]/i.test(register)

/** A file of expected rows that is missing fails its test: `--update` writes it. */
export function missingFiles({ pipeline, register, decisions, tests }: TestFile, folder: string): TestProblem[] {
  const named: [TestProblem['path'], string, unknown][] = [
    [['pipeline'], 'the pipeline', pipeline],
    [['register'], 'the register', isRegisterFile(register) ? register : undefined],
    [['decisions'], 'the decisions', decisions],
    ...tests.flatMap(({ rows, decisions: own }, at): [TestProblem['path'], string, unknown][] => [
      [['tests', at, 'rows'], 'the rows', rows],
      [['tests', at, 'decisions'], 'the decisions', own],
    ]),
  ]
  return named.flatMap(([path, what, file]) =>
    typeof file !== 'string' || existsSync(resolve(folder, file))
      ? []
      : [{ path, message: `${what} ${file}: there is no such file`, hint: 'Paths start from the folder of the test file.' }],
  )
}

/** Headers of written rows that are close to one which the pipeline maps and the rows do not have. Others are columns that it does not read. */
export function unknownHeaders({ tests }: TestFile, tested: PipelineInput): TestProblem[] {
  const mapped = [keyOf(tested) ?? [], ...mappedHeaders(tested)].flat()
  return tests.flatMap(({ rows }, test) => {
    if (typeof rows === 'string') return []
    const present = new Set(rows.flatMap(row => Object.keys(row)))
    const absent = mapped.filter(header => !present.has(header))
    return rows.flatMap((row, at) =>
      Object.keys(row).flatMap((header): TestProblem[] => {
        const meant = mapped.includes(header) ? null : nearest(header, absent)
        const path = ['tests', test, 'rows', at, header]
        return meant === null
          ? []
          : [{ path, part: 'key', message: `"${header}" is not a header that the pipeline maps; did you mean ${meant}?` }]
      }),
    )
  })
}
