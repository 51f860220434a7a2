#if canImport(Glibc)
    internal import Glibc

    extension EvaluationContext {
        /// By the C library. Where there is none, as in a browser, the context says how.
        package func compute(_ function: MathFunction, _ x: Double, _ y: Double) -> Double {
            switch function {
            case .exp: Glibc.exp(x)
            case .log: Glibc.log(x)
            case .log10: Glibc.log10(x)
            case .sin: Glibc.sin(x)
            case .cos: Glibc.cos(x)
            case .tan: Glibc.tan(x)
            case .asin: Glibc.asin(x)
            case .acos: Glibc.acos(x)
            case .atan: Glibc.atan(x)
            case .atan2: Glibc.atan2(x, y)
            case .pow: Glibc.pow(x, y)
            }
        }
    }
#endif
