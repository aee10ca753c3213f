"""The numbers of a training run, shown in TensorBoard, Weights & Biases, the terminal and a page."""
