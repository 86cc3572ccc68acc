"""One producer of judged rankings per input layout, told apart by the type of `y_true`."""
