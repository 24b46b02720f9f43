;; Marks the structural bytes of a block: a quote (0x22), the delimiter, and control characters below 0x0e.
;; `mark(delimiter, end)` reads bytes 0 to `end` of memory, sixteen per turn, and stores one bit per byte from offset 32768 on.
;; `npm run generated` compiles this file into structural-index-module.ts.
(module
  (memory (export "memory") 1)
  (func (export "mark") (param $delimiter i32) (param $end i32)
    (local $at i32)
    (local $bytes v128)
    (loop $next
      ;; Sixteen bytes become sixteen bits, two bytes of the result.
      (i32.store16 offset=32768
        (i32.shr_u (local.get $at) (i32.const 3))
        (i8x16.bitmask
          (v128.or
            (v128.or
              (i8x16.eq
                (local.tee $bytes (v128.load align=1 (local.get $at)))
                (i8x16.splat (local.get $delimiter)))
              (i8x16.eq (local.get $bytes) (i8x16.splat (i32.const 0x22))))
            (i8x16.lt_u (local.get $bytes) (i8x16.splat (i32.const 0x0e))))))
      (br_if $next
        (i32.lt_u
          (local.tee $at (i32.add (local.get $at) (i32.const 16)))
          (local.get $end))))))
