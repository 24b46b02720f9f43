/** The settings of S3 and the address of an object in it. Types only. */

export interface S3Settings {
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  readonly sessionToken: string | null
  /** Null for Amazon's own. */
  readonly endpoint: string | null
}

export interface S3Place {
  readonly bucket: string
  readonly key: string
}
